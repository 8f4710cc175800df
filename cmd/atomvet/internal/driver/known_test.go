package driver

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// TestBaseline checks that findings of the baseline are not reported, also on other lines, and
// that the summary counts those that are no longer found.
func TestBaseline(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	w.atomvet("-baseline=base", "./a").want(t, 2, lines(), "base: no such file", "-baseline-write writes it")
	r, summary := w.summarized("-baseline=base", "-baseline-write", "./a", "./b")
	r.want(t, 0, lines())
	if summary != "2 packages, 5 findings, written to base" {
		t.Errorf("summary %q", summary)
	}
	w.write("a/a.go", "package a\n\n// BadA is bad.\nfunc BadA() {}\nfunc BadNew() {}\n")
	w.write("b/b_test.go", "package b\n")
	r, summary = w.summarized("-baseline=base", "./a", "./b")
	r.want(t, 1, lines("a/a.go:5:6: [funcs/bad-function] BadNew is bad", "a/a.go:1:1: \tin this package"),
		"atomvet: gone from p/b: [vars] : var evil int\n")
	if summary != "2 packages, 1 new finding, 4 known, 1 gone" {
		t.Errorf("summary %q", summary)
	}
	// Of a package that is not checked nothing is gone, also when the file is written.
	if _, summary = w.summarized("-baseline=base", "./clean"); summary != "1 package, 0 new findings, 0 known" {
		t.Errorf("summary %q", summary)
	}
	w.atomvet("-baseline=base", "-baseline-write", "./a").want(t, 0, lines())
	w.atomvet("-baseline=base", "./a").want(t, 0, lines())
	w.atomvet("-baseline=base", "./b").want(t, 0, lines(), "gone from p/b")

	before := w.read("base")
	w.write("bad/bad.go", "package bad\nvar x int = nothing\n")
	w.atomvet("-baseline=base", "-baseline-write", "./a", "./bad").want(t, 2, lines(), "base is not written")
	if w.read("base") != before {
		t.Error("the baseline was written though a package could not be checked")
	}
	w.write("base", "x")
	w.atomvet("-baseline=base", "./a").want(t, 2, lines(), "base is no baseline")
	w.atomvet("-baseline=base", "-baseline-write", "-json", "./a").want(t, 2, lines(), "-baseline-write and -json cannot be used together")
	w.atomvet("-baseline-write", "./a").want(t, 2, lines(), "-baseline-write needs -baseline")
}

// TestNewFrom: only findings that concern what was changed are reported.
func TestNewFrom(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-qm", "one"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = w.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git: %v\n%s", err, out)
		}
	}
	w.atomvet("-new-from=HEAD", "./a", "./b").want(t, 0, lines())
	w.write("b/b.go", "package b\nimport \"p/a\"\n\n// BadB is bad.\nfunc BadB() { a.BadA(); a.Good() }\nvar wicked int\n")
	w.atomvet("-new-from=HEAD", "./a", "./b").want(t, 1, lines(
		"b/b.go:5:6: [funcs/bad-function] BadB is bad", "b/b.go:1:1: \tin this package", "b/b.go:5:17: [funcs] use of a.BadA"))
	w.atomvet("-new-from=nosuch", "./a").want(t, 2, lines(), `no revision "nosuch"`)
}

// TestFiles: flags write findings into files, besides the text.
func TestFiles(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	text := lines("a/a.go:2:6: [funcs/bad-function] BadA is bad", "a/a.go:1:1: \tin this package")
	w.atomvet("-sarif=log.sarif", "-html", "page.html", "./a").want(t, 1, text)
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID    string
				Locations []struct {
					PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(w.read("log.sarif")), &log); err != nil {
		t.Fatal(err)
	}
	if r := log.Runs[0].Results; len(r) != 1 || r[0].RuleID != "funcs/bad-function" || r[0].Locations[0].PhysicalLocation.ArtifactLocation.URI != "a/a.go" {
		t.Errorf("results %v", r)
	}
	if page := w.read("page.html"); !strings.Contains(page, "BadA is bad") {
		t.Errorf("page:\n%s", page)
	}
	w.atomvet("-sarif=nosuch/log.sarif", "./a").want(t, 2, lines(), "nosuch/log.sarif")
	w.atomvet("-sarif=log.sarif", "-fix", "./a").want(t, 2, lines(), "-fix and -sarif cannot be used together")
	w.atomvet("-why=x", "-html=page.html", "./a").want(t, 2, lines(), "-why and -html cannot be used together")
}
