package gopls_test

import (
	"context"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/gopls"
	"github.com/atomvet/atomvet/cmd/internal/repo"
)

// needProxy skips a test if gopls cannot be had, but only under -short: otherwise what the test
// needs is required.
func needProxy(t *testing.T) {
	t.Helper()
	if !testing.Short() {
		return
	}
	if out, err := exec.Command("go", "mod", "download", "golang.org/x/tools/gopls@"+gopls.Version).CombinedOutput(); err != nil {
		t.Skipf("-short, and the module proxy does not have gopls: %s", out)
	}
}

var buildDir string

// build builds a gopls from this checkout, once for all tests.
var build = sync.OnceValues(func() (string, error) {
	program := filepath.Join(buildDir, "gopls")
	return program, gopls.Build(context.Background(), gopls.Options{
		Version: gopls.Version, Output: program, Log: os.Stderr,
		Settings: []gopls.Setting{{Analyzer: "stalevalue", Flag: "strict", Value: "true"}},
	})
})

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "gopls-test-")
	if err != nil {
		panic(err)
	}
	buildDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func builtGopls(t *testing.T) string {
	t.Helper()
	needProxy(t)
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// workspace writes the files of testdata/shop.txtar.
func workspace(t *testing.T) (dir string, archive *txtar.Archive) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/shop.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir, err = filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, must(txtar.FS(archive))); err != nil {
		t.Fatal(err)
	}
	return dir, archive
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestEditor drives gopls as an editor does.
func TestEditor(t *testing.T) {
	program := builtGopls(t)
	dir, archive := workspace(t)
	s := start(t, program, dir, map[string]any{"diagnosticsDelay": "50ms"})
	s.open("shop/shop.go")

	t.Run("diagnostic", func(t *testing.T) {
		d := s.wait("shop/shop.go", "stalevalue/lost-update", 1)[0]
		if d.Severity != 2 || d.Code != "lost-update" || d.Range.Start.Line != 14 || d.Range.End == d.Range.Start {
			t.Errorf("severity %d, code %v, range %v", d.Severity, d.Code, d.Range)
		}
		lines := strings.Split(string(must(txtarFile(archive, "shop/shop.go"))), "\n")
		if text := lines[d.Range.Start.Line][d.Range.Start.Character:d.Range.End.Character]; !strings.HasPrefix(text, "s.shelf.Set(") || !strings.HasSuffix(text, ")") {
			t.Errorf("%q is underlined", text)
		}
		if !strings.HasPrefix(d.Message, "lost-update: s.shelf.n was read at line 14") {
			t.Errorf("message %q", d.Message)
		}
		if d.CodeDescription == nil || !strings.HasSuffix(d.CodeDescription.Href, "#lost-update") {
			t.Errorf("code description %v", d.CodeDescription)
		}
	})
	t.Run("setting", func(t *testing.T) { s.wait("shop/shop.go", "stalevalue/escape", 3) })
	split := s.wait("shop/shop.go", "viewconsistency/split-read", 1)[0]
	t.Run("related", func(t *testing.T) {
		var lines []int
		for _, r := range split.RelatedInformation {
			if r.Location.URI != s.uri("shop/shop.go") || r.Message == "" {
				t.Errorf("related place %+v", r)
			}
			lines = append(lines, r.Location.Range.Start.Line+1)
		}
		if want := []int{35, 36, 37, 40, 28}; !slices.Equal(lines, want) {
			t.Errorf("related lines %v, want %v", lines, want)
		}
	})
	t.Run("action", func(t *testing.T) {
		edits := s.actions("shop/shop.go", split)["Merge the two critical sections"]
		if len(edits) == 0 {
			t.Fatalf("no edits for %+v", split)
		}
		text := apply(string(must(os.ReadFile(filepath.Join(dir, "shop/shop.go")))), edits)
		if n := strings.Count(text, "p.mu.Unlock()"); n != 2 {
			t.Errorf("%d sections are left:\n%s", n, text)
		}
		s.edit("shop/shop.go", 2, text)
		s.wait("shop/shop.go", "viewconsistency/split-read", 0)
	})
	t.Run("unsaved", func(t *testing.T) {
		stock := string(must(txtarFile(archive, "stock/stock.go")))
		s.open("stock/stock.go")
		s.edit("stock/stock.go", 2, strings.ReplaceAll(strings.ReplaceAll(stock, "s.mu.Lock()", ""), "defer s.mu.Unlock()", ""))
		s.wait("shop/shop.go", "stalevalue/lost-update", 0)
		s.edit("stock/stock.go", 3, stock)
		s.wait("shop/shop.go", "stalevalue/lost-update", 1)
	})
	t.Run("off", func(t *testing.T) {
		s.configure(map[string]any{"diagnosticsDelay": "50ms", "analyses": map[string]any{"stalevalue": false}})
		s.wait("shop/shop.go", "stalevalue/lost-update", 0)
		s.wait("shop/shop.go", "ignores/no-effect", 1) // the others go on
		s.configure(map[string]any{"diagnosticsDelay": "50ms", "analyses": map[string]any{}})
		s.wait("shop/shop.go", "stalevalue/lost-update", 1)
	})
}

// txtarFile returns a file of an archive.
func txtarFile(archive *txtar.Archive, name string) ([]byte, error) {
	for _, f := range archive.Files {
		if f.Name == name {
			return f.Data, nil
		}
	}
	return nil, os.ErrNotExist
}

// apply applies edits to a text in ASCII.
func apply(text string, edits []textEdit) string {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	offset := func(p position) int { return starts[p.Line] + p.Character }
	slices.SortFunc(edits, func(a, b textEdit) int { return offset(b.Range.Start) - offset(a.Range.Start) })
	for _, e := range edits {
		text = text[:offset(e.Range.Start)] + e.NewText + text[offset(e.Range.End):]
	}
	return text
}

// TestVersion: editors ask for the version.
func TestVersion(t *testing.T) {
	out, err := exec.Command(builtGopls(t), "version").Output()
	if err != nil || !strings.Contains(string(out), "gopls "+gopls.Version) {
		t.Errorf("version %q, error %v", out, err)
	}
}

// TestErrors: what cannot work is said before anything is built.
func TestErrors(t *testing.T) {
	needProxy(t)
	t.Setenv("GOTOOLCHAIN", "local")
	tests := []struct{ version, source, want string }{
		{"v0.22.0", "", "gopls v0.22.0 can only be built with golang.org/x/tools v0.44.1-0.20260513175300-635ae9663724, and atomvet needs v0.47.0; gopls " + gopls.Version + " works"},
		{"v0.18.0", "", "gopls v0.18.0 keeps its analyzers in another way"},
		{"v0.999.0", "", "gopls v0.999.0 cannot be downloaded: "},
		{gopls.Version, "/", "/ is in no module"},
		{gopls.Version, moduleDir(t), "is in the module example.com/other, and not in github.com/atomvet/atomvet"},
	}
	if version.Compare(runtime.Version(), "go1.27") < 0 {
		tests = append(tests, struct{ version, source, want string }{"v0.24.0", "", "requires go >= 1.27.0"})
	}
	for _, test := range tests {
		err := gopls.Build(context.Background(), gopls.Options{Version: test.version, Source: test.source, Output: filepath.Join(t.TempDir(), "gopls")})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("gopls %s, source %q: error %v, want %q", test.version, test.source, err, test.want)
		}
	}
}

func moduleDir(t *testing.T) string {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/other\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestModuleVersion builds gopls with an atomvet that was installed as a version of its module, from
// a file system that serves as module proxy.
func TestModuleVersion(t *testing.T) {
	needProxy(t)
	root, err := repo.Root("")
	if err != nil {
		t.Fatal(err)
	}
	env := func(name string) string {
		return strings.TrimSpace(string(must(exec.Command("go", "env", name).Output())))
	}
	bin := t.TempDir()
	environ := append(os.Environ(),
		"GOPROXY=file://"+proxy(t, root)+",file://"+filepath.Join(env("GOMODCACHE"), "cache", "download")+","+env("GOPROXY"),
		"GOMODCACHE="+t.TempDir(), "GONOSUMDB=github.com/atomvet/atomvet", "GOFLAGS=-modcacherw -trimpath", "GOBIN="+bin, "GOWORK=off", "GOTOOLCHAIN=local")
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = t.TempDir(), environ
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run("go", "install", "github.com/atomvet/atomvet/cmd/atomvet@v0.99.0")
	out := run(filepath.Join(bin, "atomvet"), "gopls")
	program := filepath.Join(bin, "gopls-atomvet")
	if lines := strings.Fields(out); len(lines) == 0 || lines[len(lines)-1] != program {
		t.Errorf("the command prints:\n%s", out)
	}
	if modules := run("go", "version", "-m", program); !strings.Contains(modules, "github.com/atomvet/atomvet\tv0.99.0\th1:") {
		t.Errorf("gopls is built from:\n%s", modules)
	}
	dir, _ := workspace(t)
	s := start(t, program, dir, map[string]any{})
	s.open("shop/shop.go")
	s.wait("shop/shop.go", "stalevalue/lost-update", 1)
}
