package baseline_test

import (
	"os"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/baseline"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// acts returns a finding for each line of a file that calls act.
func acts(t *testing.T, text string) []report.Finding {
	t.Helper()
	if err := os.WriteFile("a.go", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var out []report.Finding
	for i, line := range strings.Split(text, "\n") {
		if column := strings.Index(line, "act("); column >= 0 {
			out = append(out, report.Finding{Analyzer: "d", Category: "c", Package: "p", Message: "m",
				Position: report.Position{File: "a.go", Line: i + 1, Column: column + 1}})
		}
	}
	return out
}

func everything(string) bool { return true }

const before = "package p\n\nfunc f() {\n\tact(1)\n\tact(1)\n}\n\nfunc (t *T[K]) g() {\n\tact(2)\n}\n"

func TestSplit(t *testing.T) {
	t.Chdir(t.TempDir())
	b := make(baseline.Baseline)
	b.Update(acts(t, before), everything)
	if err := b.Write("base"); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile("base")
	if strings.Contains(string(data), "a.go") || !strings.Contains(string(data), `"function": "(*T).g"`) || !strings.Contains(string(data), `"count": 2`) {
		t.Errorf("the file is:\n%s", data)
	}
	for _, test := range []struct {
		name, text         string
		found, known, gone int
	}{
		{"same", before, 0, 3, 0},
		{"moved", strings.Replace(before, "func f", "// f\nvar x int\n\nfunc f", 1), 0, 3, 0},
		{"formatted", strings.Replace(before, "\tact(2)", "\t\tact(2)", 1), 0, 3, 0},
		{"third", strings.Replace(before, "\tact(1)\n", "\tact(1)\n\tact(1)\n", 1), 1, 3, 0},
		{"edited", strings.Replace(before, "act(2)", "act(3)", 1), 1, 2, 1},
		{"mended", strings.ReplaceAll(before, "act(1)", "done()"), 0, 1, 2},
		{"renamed", strings.Replace(before, ") g()", ") h()", 1), 1, 2, 1},
	} {
		b, err := baseline.Read("base")
		if err != nil {
			t.Fatal(err)
		}
		found, known, gone := b.Split(acts(t, test.text), everything)
		if len(found) != test.found || known != test.known || len(gone) != test.gone {
			t.Errorf("%s: %d found, %d known, %d gone, want %d, %d, %d", test.name, len(found), known, len(gone), test.found, test.known, test.gone)
		}
	}
}

// TestPart: what is known of packages that were not checked stays.
func TestPart(t *testing.T) {
	t.Chdir(t.TempDir())
	list := acts(t, before)
	b := make(baseline.Baseline)
	b.Update(list, everything)
	list[2].Package = "q"
	b.Update(list[2:], func(pkg string) bool { return pkg == "q" })
	if n := len(b); n != 3 {
		t.Errorf("%d entries, want 3", n)
	}
	_, _, gone := b.Split(nil, func(pkg string) bool { return pkg == "q" })
	if len(gone) != 1 || gone[0].Package != "q" {
		t.Errorf("gone: %v", gone)
	}
}

func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, text := range []string{"", "[]", "{}", `{"version": 2}`} {
		if err := os.WriteFile("base", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if b, err := baseline.Read("base"); err == nil {
			t.Errorf("%q is read as %v", text, b)
		}
	}
	if _, err := baseline.Read("nosuch"); err == nil {
		t.Error("no error for a missing file")
	}
}
