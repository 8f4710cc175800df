package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// A module has a suite with one program, which has one violation and is reported
// by stalevalue and by its strict mode.
const module = `
-- go.mod --
module example.com/m
go 1.25
-- README.md --
# Example

<!-- papers -->
<!-- /papers -->
-- testdata/papers/README.md --
# Papers

<!-- papers -->
<!-- /papers -->
-- testdata/papers/suite/suite.json --
{
	"title": "A suite",
	"about": "",
	"columns": ["atomvet", "stalevalue", "bla"],
	"tables": [
		{"title": "", "about": "", "programs": ["counter"], "papers": [{"name": "Paper", "fields": ["violations"], "total": {"violations": 1}}]}
	]
}
-- testdata/papers/suite/counter/counter.go --
package counter

import "sync"

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) inc() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n + 1
	c.mu.Unlock()
}

func Run() {
	c := new(counter)
	go c.inc()
	c.inc()
}
-- testdata/papers/suite/counter/counter_test.go --
package counter

import "testing"

func TestRun(t *testing.T) {
	c := new(counter)
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n + 1
	c.mu.Unlock()
	Run()
}
`

// unpack writes the files of an archive. Later ones replace earlier ones, and an
// empty one is removed.
func unpack(t *testing.T, archive string) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(root, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		if len(f.Data) == 0 {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// papersIn runs the command in a module.
func papersIn(t *testing.T, root string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(append([]string{"-dir", root}, args...), &out, &err)
	return code, out.String(), err.String()
}

func wantRun(t *testing.T, root string, args []string, code int, stdout, stderr string) {
	t.Helper()
	gotCode, gotOut, gotErr := papersIn(t, root, args...)
	if gotCode != code || !strings.Contains(gotOut, stdout) || !strings.Contains(gotErr, stderr) || stderr == "" && gotErr != "" {
		t.Errorf("%q: exit code %d, want %d with %q and on standard error %q:\n%s\n%s", args, gotCode, code, stdout, stderr, gotOut, gotErr)
	}
}

// TestRun begins without expectations and ends with all that are needed.
func TestRun(t *testing.T) {
	const (
		program = "testdata/papers/suite/counter/counter.go"
		expect  = "testdata/papers/suite/counter/expect.json"
	)
	root := unpack(t, module)
	wantRun(t, root, nil, exitDeviations, "Programs: 1,", expect+":1: the program has no expect.json\n")
	wantRun(t, root, []string{"-update"}, exitDeviations, "| `counter`", program+":15: stalevalue: unlabelled report: lost-update: ")

	data, err := os.ReadFile(filepath.Join(root, expect))
	if err != nil {
		t.Fatal(err)
	}
	labelled := strings.NewReplacer(
		`"violations": []`, `"violations": [{"id": "AV1", "in": "(*counter).inc", "first": 12, "second": 15, "what": "a lost update"}], "papers": {"Paper": {"violations": 1}}`,
		`"label":"?"`, `"label": "true", "violation": ["AV1"]`,
	).Replace(string(data))
	if err := os.WriteFile(filepath.Join(root, expect), []byte(labelled), 0o666); err != nil {
		t.Fatal(err)
	}
	const row = "| `counter`                | 1  | 0/0     | 0/0   | 0/0 | 1         |\n"
	wantRun(t, root, nil, exitSame, row, "")
	if _, out, _ := papersIn(t, root); strings.Contains(out, program) {
		t.Errorf("reports are listed without -v:\n%s", out)
	}
	wantRun(t, root, []string{"-v"}, exitSame, program+":15: stalevalue: true AV1: lost-update: ", "")
	wantRun(t, root, []string{"-run", "^suite/counter$"}, exitSame, row, "")
	wantRun(t, root, []string{"-run", "nosuch"}, exitSame, "Programs: 0,", "")

	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if text := read("testdata/papers/README.md"); strings.Contains(text, row) {
		t.Errorf("README.md was changed too early:\n%s", text)
	}
	wantRun(t, filepath.Join(root, "testdata"), []string{"-update"}, exitSame, row, "")
	if text := read("testdata/papers/README.md"); !strings.Contains(text, "# Papers\n\n"+readmeBegin+"### A suite") || !strings.Contains(text, row) ||
		!strings.HasSuffix(text, "deviations from what is expected: 0.\n"+readmeEnd) {
		t.Errorf("testdata/papers/README.md is now\n%s", text)
	}
	if text := read("README.md"); !strings.Contains(text, "# Example\n\n"+readmeBegin+"| paper   | AV | missed/false |\n") || !strings.Contains(text, "| A suite | 1  | 0/0          |\n"+readmeEnd) {
		t.Errorf("README.md is now\n%s", text)
	}
	if data, err := os.ReadFile(filepath.Join(root, expect)); err != nil || !strings.Contains(string(data), `"first":12`) {
		t.Errorf("%v: expect.json is not formatted:\n%s", err, data)
	}
}

func TestFailures(t *testing.T) {
	const dir = "-- testdata/papers/suite/counter/"
	for _, test := range []struct {
		name    string
		archive string
		args    []string
		says    string
	}{
		{"argument", module, []string{"./..."}, "unexpected argument ./..."},
		{"flag", module, []string{"-nosuch"}, "-nosuch"},
		{"regular expression", module, []string{"-run", "("}, "missing closing )"},
		{"no programs", "-- go.mod --\nmodule m\n", nil, "testdata/papers"},
		{"no suite.json", module + "-- testdata/papers/suite/suite.json --\n", nil, "suite.json"},
		{"broken suite.json", module + "-- testdata/papers/suite/suite.json --\n{\n\"title\": x}", nil, "suite/suite.json:2: invalid character"},
		{"field of suite.json", module + "-- testdata/papers/suite/suite.json --\n{\n\"tables\": [],\n\"titel\": \"\"}", nil, `suite/suite.json:3: json: unknown field "titel"`},
		{"no tables", module + "-- testdata/papers/suite/suite.json --\n{}", nil, "suite/suite.json:1: no tables"},
		{"column", module + "-- testdata/papers/suite/suite.json --\n{\n\"columns\": [\"nosuch\"]}", nil, "suite/suite.json:2: no mode nosuch"},
		{"program of suite.json", module + "-- testdata/papers/suite/suite.json --\n{\"tables\":\n[{\"programs\": [\"nosuch\"]}]}", nil, "suite/suite.json:2: no program nosuch"},
		{"two sources", module + dir + "more.go --\npackage counter\n", nil, "counter has more than one source file"},
		{"no source", module + dir + "counter.go --\n", nil, "counter has no source file"},
		{"source that cannot be parsed", module + dir + "counter.go --\npackage\n", nil, "counter.go:1"},
		{"source that does not compile", module + dir + "counter.go --\npackage counter\nvar x = y\n", nil, "undefined: y"},
		{"program below a program", module + dir + "below/below.go --\n" + strings.ReplaceAll(module[strings.Index(module, "package counter"):strings.Index(module, dir+"counter_test.go")], "package counter", "package below"), nil,
			"report in no program: "},
		{"expect.json that cannot be updated", module + dir + "expect.json --\n{", []string{"-update"}, "expect.json:1: unexpected EOF"},
		{"README without a place", module + "-- README.md --\n# Example\n", []string{"-update"}, "README.md has no place for the table: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			wantRun(t, unpack(t, test.archive), test.args, exitFailure, "", test.says)
		})
	}
	t.Run("no module", func(t *testing.T) { wantRun(t, t.TempDir(), nil, exitFailure, "", "not in a module") })
}
