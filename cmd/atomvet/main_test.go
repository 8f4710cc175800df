package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

// TestGoTool makes the command a tool of another module, and runs it there.
func TestGoTool(t *testing.T) {
	root, err := repo.Root("")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "testdata", "example"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/quotes\n\ngo 1.25.0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		// What the module requires is in the module cache, as this test is compiled with it.
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GONOSUMDB=*",
			"GOPROXY=file://"+filepath.ToSlash(strings.TrimSpace(string(cache)))+"/cache/download")
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	for _, args := range [][]string{
		{"mod", "edit", "-replace=github.com/atomvet/atomvet=" + root},
		{"get", "-tool", "github.com/atomvet/atomvet/cmd/atomvet"},
	} {
		if out, code := run(args...); code != 0 {
			t.Fatalf("go %q: exit code %d\n%s", args, code, out)
		}
	}
	out, code := run("tool", "atomvet", "./...")
	if code != 1 || !strings.Contains(out, "rates.go:34:9: [stalevalue/check-then-act] ") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
