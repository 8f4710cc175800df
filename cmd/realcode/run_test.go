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
		cmd   = "-dir ROOT/checkout counter"
		moved = "the labels are of v1, and the checkout is of an unknown version"
		says  = ": counter.go:15:4: lost-update: "
	)
	r := runner{t, unpack(t, archive)}
	r.want(exitDifferences, moved, cmd, "new"+says,
		"example/counter: reports: 1, one per 17 lines of 17\n0 true, 0 benign, 0 false, 1 without a label; of 0 labelled ones – are true",
		"example/counter: by default: 1, one per 17 lines of 17")
	if text := read(t, r.labels()); strings.Contains(text, "counter.go") {
		t.Errorf("the labels were changed:\n%s", text)
	}
	r.want(exitDifferences, moved, "-update "+cmd, "new"+says)
	r.want(exitDifferences, moved, cmd, "unlabelled"+says)

	text := read(t, r.labels())
	added := `"line":15,"column":4,"category":"lost-update","label":"?","mechanism":"","why":""}`
	if !strings.Contains(text, added) {
		t.Fatalf("labels\n%swant %s", text, added)
	}
	write(t, r.labels(), strings.Replace(text, `"?","mechanism":"","why":""`, `"true","mechanism":"","why":"it is"`, 1))
	r.want(exitSame, moved, cmd, "1 true, 0 benign, 0 false, 0 without a label; of 1 labelled ones 100% are true, 100% true or benign")
	r.want(exitSame, moved, "-tests=true "+cmd, "reports: 1, one per 21 lines of 21\n1 true")
	r.want(exitDifferences, moved, "-stalevalue=false "+cmd, "gone: counter.go:15:4: lost-update (true): it is\n", "reports: 0, none in 17 lines\n0 true")

	source := filepath.Join(r.root, "checkout", "counter.go")
	write(t, source, "\n"+read(t, source))
	r.want(exitDifferences, moved, cmd, "new: counter.go:16:4: ", "gone: counter.go:15:4: lost-update (true): it is\n", "0 true")
}

// TestSample does not complain of reports that are known and outside of the sample.
func TestSample(t *testing.T) {
	r := runner{t, unpack(t, archive)}
	write(t, r.labels(), strings.Replace(read(t, r.labels()), `"reports"`, `"sample": "none of one", "reports"`, 1))
	const cmd = "-dir=ROOT/checkout counter"
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
  project  true  benign  false  ?  true  true or benign
  counter     0       0      0  0     –               –
     more     1       2      1  1   25%             75%
      all     1       2      1  1   25%             75%
`[1:])
}

func TestFailures(t *testing.T) {
	const cmd = "-dir ROOT/checkout counter"
	for _, test := range []struct{ name, archive, args, says string }{
		{"help", archive, "-help", "usage: realcode "},
		{"no project", archive, "-dir ROOT/checkout", "which project?"},
		{"no directory", archive, "counter", "where is the checkout of counter?"},
		{"unknown project", archive, "-dir ROOT/checkout nosuch", "there is no project nosuch, only counter"},
		{"missing checkout", archive, "-dir ROOT/nosuch counter", "no checkout: "},
		{"file for a checkout", archive, "-dir ROOT/checkout/go.mod counter", "go.mod is not a directory"},
		{"empty checkout", archive, "-dir ROOT/labels counter", "go list"},
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
	r.want(exitFailure, "undefined: y", "-dir ROOT/checkout counter", "new: counter.go:15:4: ", "reports: 1, ")
}
