package finding_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/types"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/finding"
)

// Findings in test files have a doubt that no other one outweighs: below a medium confidence nobody sees
// them, unless a directive of the file asks for them. What the file is called decides, not a line directive.
func TestInTestFiles(t *testing.T) {
	const body = "\n\nfunc _() { act() }\n"
	for _, c := range []struct {
		file, src string
		least     finding.Confidence
		doubted   bool
		matters   bool
	}{
		{"p.go", "package p" + body, finding.High, false, true},
		{"p_test.go", "package p" + body, finding.High, true, false},
		{"p_test.go", "package p" + body, finding.Medium, true, true},
		{"p_test.go", "package p" + body, finding.Low, true, true},
		{"p_test.go", "package p\n\n//lint:file-ignore stalevalue this is meant" + body, finding.High, true, true},
		{"p.go", "package p\n\n//line p_test.go:7" + body, finding.High, false, true},
		{"p_test.go", "package p\n\n//line p.go:7" + body, finding.High, true, false},
	} {
		pass, got := newPass(t)
		file, err := parser.ParseFile(pass.Fset, c.file, c.src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		pass.Files = append(pass.Files, file)
		findings := finding.DoubtTests(pass, calls(pass))
		if doubted := findings[0].Confidence() > finding.High; doubted != c.doubted {
			t.Errorf("%s, %q: confidence %s", c.file, c.src, findings[0].Confidence())
		}
		if got := finding.Matters(pass, c.least)(findings[0].Pos); got != c.matters {
			t.Errorf("%s, %q, at least %s: matters = %v", c.file, c.src, c.least, got)
		}
		// What does not matter is neither reported nor silenced.
		silenced := finding.Report(pass, c.least, findings)
		for _, d := range finding.Directives(file) {
			if !silenced.By(d, "stalevalue") {
				t.Errorf("%s, %q: the directive silences nothing", c.file, c.src)
			}
		}
		if len(*got) > 0 && !c.matters {
			t.Errorf("%s, %q, at least %s: reported", c.file, c.src, c.least)
		}
	}
}

// So have those in helpers that are given a test, in whatever file they are.
func TestInHelpers(t *testing.T) {
	const src = `package p

import "testing"

type rig struct {
	t *testing.T
	n int
}

type bench struct{ n int }

func act() {}

func (r *rig) run() { func() { act() }() }
func start(t testing.TB) { act() }
func (b *bench) run() { act() }
`
	pass, _ := newPass(t, src)
	pass.TypesInfo = &types.Info{Defs: make(map[*ast.Ident]types.Object)}
	conf := types.Config{Importer: importer.ForCompiler(pass.Fset, "source", nil)}
	if _, err := conf.Check("p", pass.Fset, pass.Files, pass.TypesInfo); err != nil {
		t.Fatal(err)
	}
	findings := finding.DoubtTests(pass, calls(pass))
	want := []bool{true, true, true, false} // the call of the literal, that in it, and the two others
	if len(findings) != len(want) {
		t.Fatalf("%d findings", len(findings))
	}
	for i, f := range findings {
		if doubted := f.Confidence() > finding.High; doubted != want[i] {
			t.Errorf("finding %d at %v: confidence %s", i, pass.Fset.Position(f.Pos), f.Confidence())
		}
	}
}
