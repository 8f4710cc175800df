package since_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/since"
)

func git(t *testing.T, args ...string) {
	t.Helper()
	args = append([]string{"-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false"}, args...)
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", args, err, out)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestUnborn: before the first commit everything differs from HEAD, and there is no other revision.
func TestUnborn(t *testing.T) {
	t.Chdir(t.TempDir())
	git(t, "init", "-q")
	write(t, "p/a.go", "package p\n\nfunc f() {}\n")
	git(t, "add", "-A")
	r, err := since.Open("HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if new, err := r.Concerns(&report.Finding{Position: report.Position{File: "p/a.go", Line: 3}}); !new || err != nil {
		t.Errorf("a declaration that is to be committed first: %v, %v, want true", new, err)
	}
	if _, err := since.Open("HEAD~1"); err == nil {
		t.Error("there is a HEAD~1 before the first commit")
	}
}

func TestConcerns(t *testing.T) {
	t.Chdir(t.TempDir())
	git(t, "init", "-q")
	write(t, "p/a.go", "package p\n\nfunc same() { act(1) }\n\nfunc edited() { act(2) }\n\nfunc moved() { act(3) }\n\nvar v = act(4)\n")
	git(t, "add", "-A")
	git(t, "commit", "-q", "-m", "one")
	git(t, "tag", "one")
	// line 3: comment; 4: same, with other spaces; 7: edited; 8: v; 9: method of the name same
	write(t, "p/a.go", "package p\n\n// same is the same.\nfunc same() {\n\tact(1) // here\n}\nfunc edited() { act(22) }\nvar v = act(44)\nfunc (T) same() { act(1) }\n")
	write(t, "p/b.go", "package p\n\nfunc moved() { act(3) }\n")
	write(t, "q/q.go", "package q\n\nfunc created() { act(1) }\n")
	outside := filepath.Join(t.TempDir(), "x.go")
	write(t, outside, "package x\n\nfunc x() {}\n")

	at := func(file string, line int, related ...int) *report.Finding {
		f := &report.Finding{Position: report.Position{File: file, Line: line}}
		for _, l := range related {
			f.Related = append(f.Related, report.Related{Position: report.Position{File: file, Line: l}})
		}
		return f
	}
	for _, test := range []struct {
		name string
		f    *report.Finding
		want bool
	}{
		{"same", at("p/a.go", 5), false},
		{"edited", at("p/a.go", 7), true},
		{"related to edited", at("p/a.go", 5, 7), true},
		{"related to same", at("p/a.go", 5, 4), false},
		{"moved", at("p/b.go", 3), false},
		{"variable", at("p/a.go", 8), true},
		{"method", at("p/a.go", 9), true},
		{"package clause", at("p/a.go", 1), false},
		{"new package", at("q/q.go", 3), true},
		{"outside", at(outside, 3), false},
		{"gone", at("p/nosuch.go", 3), false},
	} {
		r, err := since.Open("one")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Concerns(test.f); got != test.want || err != nil {
			t.Errorf("%s: %t, error %v, want %t", test.name, got, err, test.want)
		}
	}
	if _, err := since.Open("nosuch"); err == nil {
		t.Error("no error for an unknown revision")
	}
	if _, err := since.Open("--help"); err == nil {
		t.Error("no error for a flag as a revision")
	}
}
