package golangci_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// buildLint builds golangci-lint with the plugin, in the module testdata/lint, which pins both.
// Under -short a test is skipped if the modules cannot be had.
func buildLint(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "golangci-lint")
	if testing.Short() {
		if out, err := lintGo("mod", "download").CombinedOutput(); err != nil {
			t.Skipf("-short, and the module proxy does not have golangci-lint: %s", out)
		}
	}
	if out, err := lintGo("build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// lintGo prepares a run of the go command in the module that builds golangci-lint.
func lintGo(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join("testdata", "lint")
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	return cmd
}

// A project is a module in a git repository that golangci-lint is run on.
type project struct {
	t       *testing.T
	dir     string
	program string
}

func newProject(t *testing.T, program string) *project {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/shop.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t, t.TempDir(), program}
	if err := os.CopyFS(p.dir, files); err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile("testdata/sample/.golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	p.write(".golangci.yml", string(config))
	p.git("init", "-q")
	p.commit()
	return p
}

func (p *project) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) read(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

func (p *project) git(args ...string) {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=test", "-c", "user.email=test@example.com"}, args...)...)
	cmd.Dir = p.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func (p *project) commit() {
	p.git("add", ".")
	p.git("commit", "-q", "-m", "state")
}

// lint runs golangci-lint and lists the issues as LINTER LINE CATEGORY. Its standard error is
// returned, too.
func (p *project) lint(args ...string) (issues []string, said string) {
	p.t.Helper()
	args = append([]string{"run", "--default=none", "--output.json.path=stdout", "--show-stats=false"}, args...)
	cmd := exec.Command(p.program, append(args, "./...")...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GOLANGCI_LINT_CACHE="+filepath.Join(p.dir, ".git", "lint-cache"), "GOWORK=off", "GOFLAGS=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var doc struct {
		Issues []struct {
			FromLinter, Text string
			Pos              struct {
				Filename string
				Line     int
			}
		}
	}
	if e := json.Unmarshal(stdout.Bytes(), &doc); e != nil {
		return nil, stderr.String()
	}
	if err != nil && len(doc.Issues) == 0 {
		p.t.Errorf("golangci-lint %q: %v\n%s", args, err, stderr.Bytes())
	}
	for _, i := range doc.Issues {
		category, _, _ := strings.Cut(i.Text, ": ")
		issues = append(issues, fmt.Sprintf("%s %s:%d %s", i.FromLinter, filepath.ToSlash(i.Pos.Filename), i.Pos.Line, category))
	}
	slices.Sort(issues)
	return issues, stderr.String()
}

func (p *project) want(issues []string, want ...string) {
	p.t.Helper()
	if !slices.Equal(issues, want) {
		p.t.Errorf("issues\n\t%s\nwant\n\t%s", strings.Join(issues, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// TestGolangciLint runs a golangci-lint with the plugin, configured by the sample.
func TestGolangciLint(t *testing.T) {
	program := buildLint(t)
	const (
		sell  = "stalevalue shop/shop.go:16 lost-update" // by facts of the package stock
		gross = "viewconsistency shop/shop.go:48 split-read"
	)
	t.Run("findings", func(t *testing.T) {
		p := newProject(t, program)
		issues, _ := p.lint()
		p.want(issues, sell, gross)
	})
	t.Run("nolint", func(t *testing.T) {
		p := newProject(t, program)
		text := strings.ReplaceAll(p.read("shop/shop.go"), " //nolint", " //")
		p.write("shop/shop.go", text)
		issues, _ := p.lint()
		// The second in the function is a further place of the first.
		p.want(issues, sell, "stalevalue shop/shop.go:23 lost-update", gross)
	})
	t.Run("new-from-rev", func(t *testing.T) {
		p := newProject(t, program)
		p.write("shop/shop.go", p.read("shop/shop.go")+`
// Return puts one thing back.
func (s *Shop) Return() {
	n := s.shelf.Count()
	s.shelf.Set(n + 1)
}
`)
		issues, _ := p.lint("--new-from-rev=HEAD")
		p.want(issues, "stalevalue shop/shop.go:56 lost-update")
	})
	t.Run("fix", func(t *testing.T) {
		p := newProject(t, program)
		issues, _ := p.lint("--fix")
		p.want(issues, sell)
		if n := strings.Count(p.read("shop/shop.go"), "p.mu.Unlock()"); n != 2 {
			t.Errorf("%d sections are left", n)
		}
		issues, _ = p.lint()
		p.want(issues, sell)
	})
	t.Run("settings", func(t *testing.T) {
		p := newProject(t, program)
		p.write(".golangci.yml", strings.Replace(p.read(".golangci.yml"), "confidence: medium", "confidenze: medium", 1))
		if issues, said := p.lint(); len(issues) > 0 || !strings.Contains(said, `there is no \"confidenze\"`) && !strings.Contains(said, `there is no "confidenze"`) {
			t.Errorf("issues %q, and golangci-lint says:\n%s", issues, said)
		}
	})
}

// TestSamples: the README has the samples, and they are for the version that is tested.
func TestSamples(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("testdata/lint/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".custom-gcl.yml", ".golangci.yml"} {
		sample, err := os.ReadFile(filepath.Join("testdata/sample", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(readme, append([]byte("```yaml\n"), sample...)) {
			t.Errorf("the README does not have %s as it is in testdata/sample", name)
		}
		if version, ok := strings.CutPrefix(strings.SplitN(string(sample), "\n", 2)[0], "version: v"); ok &&
			!strings.Contains(string(mod), "github.com/golangci/golangci-lint/v2 v"+version+"\n") {
			t.Errorf("%s has version v%s, and testdata/lint/go.mod has another one", name, version)
		}
	}
}
