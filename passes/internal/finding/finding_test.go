package finding_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/finding"
)

// newPass returns a pass of an analyzer named stalevalue over the given files,
// and the diagnostics that are reported to it.
func newPass(t *testing.T, files ...string) (*analysis.Pass, *[]analysis.Diagnostic) {
	t.Helper()
	var got []analysis.Diagnostic
	pass := &analysis.Pass{
		Analyzer: &analysis.Analyzer{Name: "stalevalue", URL: "https://example.com/stalevalue"},
		Fset:     token.NewFileSet(),
		Report:   func(d analysis.Diagnostic) { got = append(got, d) },
	}
	for i, src := range files {
		file, err := parser.ParseFile(pass.Fset, fmt.Sprintf("f%d.go", i), src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		pass.Files = append(pass.Files, file)
	}
	return pass, &got
}

// calls returns a finding at every call of act.
func calls(pass *analysis.Pass) []finding.Finding {
	var out []finding.Finding
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				out = append(out, finding.Finding{Pos: c.Pos(), Category: "lost-update", Message: "act"})
			}
			return true
		})
	}
	return out
}

func TestDirectives(t *testing.T) {
	// Each body has one finding, at the call of act.
	for _, test := range []struct {
		name     string
		body     string
		silenced bool
	}{
		{"no comment", "act()", false},
		{"ordinary comment", "act() // stalevalue is right here", false},

		{"lint", "//lint:ignore stalevalue it is checked again below\nact()", true},
		{"lint on the line", "act() //lint:ignore stalevalue it is checked again below", true},
		{"lint after the line", "act()\n//lint:ignore stalevalue it is checked again below", false},
		{"lint two lines before", "//lint:ignore stalevalue it is checked again below\n\nact()", false},
		{"lint without reason", "//lint:ignore stalevalue\nact()", false},
		{"lint with blank reason", "//lint:ignore stalevalue   \nact()", false},
		{"lint without name", "//lint:ignore it is checked again below\nact()", false},
		{"lint for another analyzer", "//lint:ignore reacquire it is checked again below\nact()", false},
		{"lint for a longer name", "//lint:ignore stalevalues it is checked again below\nact()", false},
		{"lint for several", "//lint:ignore reacquire,stalevalue,SA1000 it is checked again below\nact()", true},
		{"lint for several others", "//lint:ignore reacquire,SA1000 stalevalue is only the reason\nact()", false},
		{"lint as prose", "// lint:ignore stalevalue it is checked again below\nact()", false},
		{"lint of a file", "act()\n//lint:file-ignore stalevalue it is checked again below", true},
		{"lint of a file without reason", "//lint:file-ignore stalevalue\nact()", false},
		{"lint of a file for another analyzer", "//lint:file-ignore reacquire it is checked again below\nact()", false},
		{"category", "//lint:ignore lost-update it is checked again below\nact()", true},
		{"category of the analyzer", "act() //nolint:stalevalue/lost-update // it is checked again below", true},
		{"category of another analyzer", "//lint:ignore reacquire/lost-update it is checked again below\nact()", false},
		{"another category", "//lint:ignore check-then-act it is checked again below\nact()", false},
		{"suite", "//lint:ignore atomvet it is checked again below\nact()", true},
		{"other ending", "//lint:ignored stalevalue it is checked again below\nact()", false},
		{"lint in a group", "// The next line is fine.\n//lint:ignore stalevalue it is checked again below\nact()", true},

		{"nolint", "act() //nolint:stalevalue // it is checked again below", true},
		{"nolint before the line", "//nolint:stalevalue // it is checked again below\nact()", true},
		{"nolint after the line", "act()\n//nolint:stalevalue // it is checked again below", false},
		{"nolint without reason", "act() //nolint:stalevalue", false},
		{"nolint with empty reason", "act() //nolint:stalevalue //", false},
		{"nolint with blank reason", "act() //nolint:stalevalue //  ", false},
		{"nolint for another analyzer", "act() //nolint:reacquire // it is checked again below", false},
		{"nolint for several", "act() //nolint:errcheck,stalevalue // it is checked again below", true},
		{"nolint for several, with spaces", "act() //nolint:errcheck, stalevalue // it is checked again below", true},
		{"nolint without name", "act() //nolint // it is checked again below", false},
		{"nolint reason names the analyzer", "act() //nolint:errcheck // stalevalue", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			pass, got := newPass(t, "package p\n\nfunc f() {\n"+test.body+"\n}\n")
			finding.Report(pass, finding.Low, calls(pass))
			if silenced := len(*got) == 0; silenced != test.silenced {
				t.Errorf("silenced: %t", silenced)
			}
		})
	}
}

// TestDirectiveFiles: a directive is about its own file only.
func TestDirectiveFiles(t *testing.T) {
	pass, got := newPass(t,
		"package p\n\n//lint:ignore stalevalue reason\nvar _ = 0\n",
		"package p\n\n\nvar _ = act()\n")
	finding.Report(pass, finding.Low, calls(pass))
	if len(*got) != 1 {
		t.Errorf("%d reports, want 1", len(*got))
	}
}

// TestReport: what a finding becomes.
func TestReport(t *testing.T) {
	pass, got := newPass(t, "package p\n\nfunc f() { act() }\n")
	pos := pass.Files[0].Pos()
	fix := analysis.SuggestedFix{Message: "do it right"}
	finding.Report(pass, finding.Low, []finding.Finding{{
		Pos: pos + 3, End: pos + 5, Category: "stale-use", Message: "x is old",
		Notes: []finding.Note{
			{Pos: pos + 1, Message: "read here"},
			{Pos: token.NoPos, Message: "written in another package"},
			{Pos: pos + 2, Message: "released here"},
		},
		Fixes: []analysis.SuggestedFix{fix},
	}})
	if len(*got) != 1 {
		t.Fatalf("%d reports, want 1", len(*got))
	}
	d := (*got)[0]
	if d.Pos != pos+3 || d.End != pos+5 || d.Category != "stale-use" {
		t.Errorf("reported at %v to %v in category %s", d.Pos, d.End, d.Category)
	}
	if d.Message != "stale-use: x is old" {
		t.Errorf("message %q", d.Message)
	}
	if d.URL != "https://example.com/stalevalue#stale-use" {
		t.Errorf("URL %s", d.URL)
	}
	if len(d.SuggestedFixes) != 1 || d.SuggestedFixes[0].Message != fix.Message {
		t.Errorf("fixes %v", d.SuggestedFixes)
	}
	// Editors cannot show a note without a position.
	var notes []string
	for _, r := range d.Related {
		notes = append(notes, r.Message)
	}
	if !slices.Equal(notes, []string{"read here", "released here"}) {
		t.Errorf("notes %q", notes)
	}
}

// TestOrder: reports come in the order of the source, whatever the order in
// which they are found; those without a position, which nobody could find, are
// left out.
func TestOrder(t *testing.T) {
	pass, got := newPass(t, "package p\n\nfunc f() { act() }\n")
	pos := pass.Files[0].Pos()
	finding.Report(pass, finding.Low, []finding.Finding{
		{Pos: pos + 9, Message: "4"},
		{Pos: pos + 3, Message: "2b"},
		{Pos: token.NoPos, Message: "nowhere"},
		{Pos: pos + 3, Message: "2a"},
		{Pos: pos + 1, Message: "1"},
		{Pos: pos + 5, Message: "3"},
	})
	var order []string
	for _, d := range *got {
		order = append(order, strings.TrimPrefix(d.Message, ": "))
	}
	if want := []string{"1", "2a", "2b", "3", "4"}; !slices.Equal(order, want) {
		t.Errorf("got %q, want %q", order, want)
	}
}

// TestFileOrder: the names of the files decide, not the order in which they were parsed.
func TestFileOrder(t *testing.T) {
	pass, got := newPass(t)
	var findings []finding.Finding
	for _, name := range []string{"b.go", "a.go"} {
		file, err := parser.ParseFile(pass.Fset, name, "package p\n", 0)
		if err != nil {
			t.Fatal(err)
		}
		pass.Files = append(pass.Files, file)
		findings = append(findings, finding.Finding{Pos: file.Package, Message: name})
	}
	finding.Report(pass, finding.Low, findings)
	if len(*got) != 2 || (*got)[0].Message != ": a.go" {
		t.Errorf("got %v, want a.go before b.go", *got)
	}
}

// TestFailures: what goes wrong inside is reported where the user sees it.
func TestFailures(t *testing.T) {
	pass, got := newPass(t, "// A comment.\npackage p\n")
	finding.Failures(pass, nil)
	if len(*got) != 0 {
		t.Errorf("%d failures reported, want none", len(*got))
	}
	finding.Failures(pass, []string{"one", "two"})
	if len(*got) != 2 || (*got)[0].Message != "one" || (*got)[1].Message != "two" {
		t.Errorf("got %v", *got)
	}
	for _, d := range *got {
		if pass.Fset.Position(d.Pos).Line != 2 {
			t.Errorf("reported at %v, want the package clause", pass.Fset.Position(d.Pos))
		}
	}
}
