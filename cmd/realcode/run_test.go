package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

// A checkout has a counter that is wrong, and the labels are beside it.
const archive = `
-- checkout/go.mod --
module example.com/counter
go 1.25
-- checkout/counter.go --
package counter

import "sync"

type Counter struct {
	mu sync.Mutex
	n  int
}

func (c *Counter) Inc() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n + 1
	c.mu.Unlock()
}
-- checkout/counter_test.go --
package counter

import "testing"
func TestInc(*testing.T) { new(Counter).Inc() }
-- labels/counter.json --
{
	"project": "example/counter",
	"commit": "v1",
	"packages": ["./..."],
	"flags": ["-tests=false"],
	"reports": []
}
`

// unpack writes the files of an archive. Later ones replace earlier ones.
func unpack(t *testing.T, archive string) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		write(t, filepath.Join(root, f.Name), string(f.Data))
	}
	return root
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

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A runner runs the command on what was unpacked.
type runner struct {
	*testing.T
	root string
}

func (r runner) labels() string { return filepath.Join(r.root, "labels", "counter.json") }

// want runs the command, and wants its output to have all of these texts.
func (r runner) want(code int, stderr string, args string, stdout ...string) {
	r.Helper()
	root, err := repo.Root("")
	if err != nil {
		r.Fatal(err)
	}
	var out, errs bytes.Buffer
	c := &command{root: root, labels: filepath.Join(r.root, "labels"), stdout: &out, stderr: &errs}
	got := c.run(strings.Fields(strings.ReplaceAll(args, "ROOT", r.root)))
	if got != code || !strings.Contains(errs.String(), stderr) {
		r.Errorf("%s: exit code %d, want %d with %q on standard error:\n%s%s", args, got, code, stderr, &out, &errs)
	}
	for _, text := range stdout {
		if !strings.Contains(out.String(), text) {
			r.Errorf("%s: output\n%swants %q", args, &out, text)
		}
	}
}

// TestRun begins without labels, labels the report, and moves it.
func TestRun(t *testing.T) {
	const (
		cmd   = "counter=ROOT/checkout"
		moved = "the labels are of v1, and the checkout is of an unknown version"
		says  = ": counter.go:15:4: lost-update: "
	)
	r := runner{t, unpack(t, archive)}
	r.want(exitDifferences, moved, cmd, "new"+says,
		"example/counter: reports: 1, one per 17 lines of 17\n0 true, 0 minor, 0 benign, 0 false, 1 without a label; of 0 labelled ones – are true",
		"example/counter: by default: 1, one per 17 lines of 17")
	if text := read(t, r.labels()); strings.Contains(text, "counter.go") {
		t.Errorf("the labels were changed:\n%s", text)
	}
	r.want(exitDifferences, moved, "-update "+cmd, "new"+says)
	r.want(exitDifferences, moved, cmd, "unlabelled"+says)

	text := read(t, r.labels())
	added := `{"file":"counter.go","func":"(*Counter).Inc","category":"lost-update","location":"c.n","text":"c.n = n + 1","line":15,"column":4,"label":"?","mechanism":"","why":""}`
	if !strings.Contains(text, added) {
		t.Fatalf("labels\n%swant %s", text, added)
	}
	write(t, r.labels(), strings.Replace(text, `"?","mechanism":"","why":""`, `"true","mechanism":"","why":"it is"`, 1))
	r.want(exitSame, moved, cmd, "1 true, 0 minor, 0 benign, 0 false, 0 without a label; of 1 labelled ones 100% are true, 100% true or minor")
	r.want(exitSame, moved, "-tests=true "+cmd, "reports: 1, one per 21 lines of 21\n1 true")
	r.want(exitDifferences, moved, "-stalevalue=false "+cmd, "gone: counter.go:15:4: lost-update (true): it is\n", "reports: 0, none in 17 lines\n0 true")

	// The label stays when the function moves, and goes with it.
	source := filepath.Join(r.root, "checkout", "counter.go")
	write(t, source, "\n"+read(t, source))
	r.want(exitSame, moved, cmd, "1 true, 0 minor")
	write(t, source, strings.Replace(read(t, source), "n + 1", "1 + n", 1))
	r.want(exitSame, moved, cmd, "moved: counter.go:16:4: lost-update of c.n in (*Counter).Inc (true), labelled at line 15\n", "1 true, 0 minor")
	r.want(exitSame, moved, "-update "+cmd)
	if text := read(t, r.labels()); !strings.Contains(text, `"text":"c.n = 1 + n","line":16,"column":4,"label":"true","mechanism":"","why":"it is"}`) {
		t.Errorf("labels\n%s", text)
	}
	write(t, source, strings.Replace(read(t, source), ") Inc()", ") Add()", 1)+"\nfunc (c *Counter) Inc() { c.Add() }\n")
	r.want(exitDifferences, moved, cmd, "new: counter.go:16:4: ", "gone: counter.go:16:4: lost-update (true): it is\n", "0 true")
}

// TestConvert has a label that is told by its line, without a report.
func TestConvert(t *testing.T) {
	r := runner{t, unpack(t, archive)}
	const label = `{"file": "counter.go", "line": 15, "column": 4, "category": "check-then-act", "label": "false", "mechanism": "", "why": "it is not"}`
	write(t, r.labels(), strings.Replace(read(t, r.labels()), `"reports": [`, `"reports": [`+label, 1))
	const cmd = "counter=ROOT/checkout"
	r.want(exitDifferences, "", cmd, "example/counter: 1 labels have no function and are told by their line\n", "gone: counter.go:15:4: check-then-act (false): it is not\n")
	r.want(exitDifferences, "", "-update "+cmd, "gone: counter.go:15:4: check-then-act (false): it is not\n")
	if text := read(t, r.labels()); !strings.Contains(text, `{"file":"counter.go","func":"(*Counter).Inc","category":"check-then-act","text":"c.n = n + 1","line":15,`) {
		t.Errorf("labels\n%s", text)
	}
}

// TestMany compares two projects with a tool that is given, and again with what it has printed.
func TestMany(t *testing.T) {
	r := runner{t, unpack(t, archive+`
-- more/go.mod --
module example.com/more
go 1.25
-- more/more.go --
package more
-- labels/more.json --
{"project": "example/more", "commit": "v1", "packages": ["./..."], "sample": "all by default", "reports": [
	{"file": "more.go", "line": 1, "category": "c", "label": "minor", "why": "w"},
	{"file": "below/below.go", "line": 1, "category": "c", "label": "true", "why": "w"}]}
-- more/below/below.go --
package below
import "example.com/nosuch"
-- labels/third.json --
{"project": "example/third", "commit": "v1", "packages": ["./..."], "reports": []}
`)}
	root, err := repo.Root("")
	if err != nil {
		t.Fatal(err)
	}
	tool, err := (&command{root: root}).build(r.root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(r.root, "checkout"), filepath.Join(r.root, "counter")); err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(t.TempDir(), "new", "directory")
	total := []string{
		"new: counter.go:15:4: ",
		"gone: more.go:1:0: c (minor): w\n",
		"example/more: 1 labels are in packages that cannot be loaded\n",
		"  minor                                  1     0        0       0     1\n",
		"all: by default: 1, one per 18 lines of 18\n",
		"  counter                                 1     0      0       0      0  1              –             17\n",
		"  more                                    0     0      0       0      0  0              –              –\n",
		"  all                                     1     0      0       0      0  1              –             18\n",
	}
	r.want(exitFailure, "third is left out", "-root ROOT -save "+saved+" -tool "+tool, total...)
	if err := os.Remove(tool); err != nil {
		t.Fatal(err)
	}
	r.want(exitDifferences, "", "-root ROOT counter more -load "+saved, total...)
	r.want(exitFailure, "third: no checkout", "-root ROOT third more -load "+saved)

	// One that fails does not keep the other from being compared.
	write(t, filepath.Join(saved, "counter.json"), "")
	r.want(exitFailure, "counter: unexpected output of atomvet", "-root ROOT -load "+saved, total[1])
}

// TestSample does not complain of reports that are known and outside of the sample.
func TestSample(t *testing.T) {
	r := runner{t, unpack(t, archive)}
	write(t, r.labels(), strings.Replace(read(t, r.labels()), `"reports"`, `"sample": "none of one", "reports"`, 1))
	const cmd = "-root ROOT counter=ROOT/checkout"
	r.want(exitDifferences, "", "--update "+cmd, "new: counter.go:15:4: ")
	r.want(exitSame, "", cmd, "1 without a label", "labelled: none of one\n")
}

func TestList(t *testing.T) {
	r := runner{t, unpack(t, archive+`
-- labels/more.json --
{"project": "m", "commit": "c", "packages": ["std"], "reports": [
	{"file": "a.go", "line": 1, "category": "c", "label": "true", "why": "w"},
	{"file": "a.go", "line": 2, "category": "c", "label": "benign", "why": "w"},
	{"file": "a.go", "line": 3, "category": "c", "label": "benign", "why": "w"},
	{"file": "a.go", "line": 4, "category": "c", "label": "false", "why": "w"},
	{"file": "a.go", "line": 5, "category": "c", "label": "?"}]}
`)}
	r.want(exitSame, "", "", `
  project  true  minor  benign  false  ?  true  true or minor  by line
  counter     0      0       0      0  0     –              –        0
     more     1      0       2      1  1   25%            25%        5
      all     1      0       2      1  1   25%            25%        5
`[1:])
}

func TestFailures(t *testing.T) {
	const cmd = "counter=ROOT/checkout"
	for _, test := range []struct{ name, archive, args, says string }{
		{"help", archive, "-help", "usage: realcode "},
		{"no project", archive, "-update", "which projects?"},
		{"no directory", archive, "counter", "where is the checkout of counter?"},
		{"unknown project", archive, "nosuch=ROOT/checkout", "there is no project nosuch, only counter"},
		{"missing checkout", archive, "counter=ROOT/nosuch", "no checkout: "},
		{"no checkouts", archive, "-root ROOT/labels", "there is no checkout in "},
		{"file for a checkout", archive, "counter=ROOT/checkout/go.mod", "go.mod is not a directory"},
		{"empty checkout", archive, "counter=ROOT/labels", "go list"},
		{"missing tool", archive, "-tool ROOT/nosuch " + cmd, "nosuch: no such file"},
		{"nothing saved", archive, "-load ROOT/nosuch " + cmd, "counter.json: no such file"},
		{"nowhere to save", archive, "-save ROOT/checkout/go.mod " + cmd, "go.mod: not a directory"},
		{"package that does not load", archive + "-- checkout/counter.go --\npackage counter\n\nimport \"example.com/nosuch\"\n", cmd, "there is nothing to analyse"},
		{"package that does not compile", archive + "-- checkout/below/below.go --\npackage below\nvar x = y\n", cmd, "could not check everything"},
		{"flag of atomvet", archive, "-nosuch " + cmd, "-nosuch"},
		{"broken labels", archive + "-- labels/counter.json --\n{\n\"reports\": [}", cmd, "counter.json:2: invalid character '}'"},
		{"broken labels in the list", archive + "-- labels/counter.json --\n{", "", "counter.json:2: unexpected EOF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			runner{t, unpack(t, test.archive)}.want(exitFailure, test.says, test.args)
		})
	}
}

// TestPartial checks that what can be compared is, if a package fails.
func TestPartial(t *testing.T) {
	r := runner{t, unpack(t, archive+"-- checkout/below/below.go --\npackage below\nvar x = y\n")}
	r.want(exitFailure, "undefined: y", "counter=ROOT/checkout", "new: counter.go:15:4: ", "reports: 1, ")
}
