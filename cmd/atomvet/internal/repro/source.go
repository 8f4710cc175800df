package repro

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument/atomvetrt"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// constraint keeps a test that was written to a file out of other builds, and of go mod tidy, which goes
// by no other tag: it needs the support package.
const constraint = "//go:build ignore\n"

// withoutConstraint returns a test to be compiled. The line stays, for positions.
func withoutConstraint(text []byte) []byte {
	return bytes.Replace(text, []byte(constraint), []byte("//\n"), 1)
}

// test returns the source of a test with some trials.
func (s *search) test(module string, list []candidate, doc string) ([]byte, error) {
	var body bytes.Buffer
	for i, c := range list {
		fmt.Fprintf(&body, "\tif err := atomvetrt.Try(%q, func() (unit, rival func() []any, state any) {\n", fmt.Sprint(i))
		for _, l := range c.lines {
			fmt.Fprintf(&body, "\t\t%s\n", l)
		}
		body.WriteString("\t}); err != nil {\n\t\tt.Error(err)\n\t}\n")
	}
	decls := s.fakes.used(body.String())
	var out bytes.Buffer
	fmt.Fprintf(&out, "%spackage %s\n\nimport (\n\t\"testing\"\n", doc, s.file.Types.Name())
	for _, p := range slices.Sorted(maps.Keys(s.imports)) {
		if name := s.imports[p]; name != "" && strings.Contains(body.String()+decls, name+".") {
			fmt.Fprintf(&out, "\t%s %q\n", name, p)
		}
	}
	fmt.Fprintf(&out, "\n\t%q\n)\n\nfunc TestAtomvet(t *testing.T) {\n%s}\n\n%s", path.Join(module, "atomvetrt"), body.Bytes(), decls)
	return format.Source(out.Bytes())
}

// comment returns what stands above a test that is kept.
func comment(f *report.Finding, t atomvetrt.Trial) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n// This test shows the finding %s of atomvet, at %s:%d:\n//\n// %s\n//\n", constraint, f.ID, f.File, f.Line, f.Title())
	if t.Wrong {
		out.WriteString("// No serial order has its outcome:\n//\n")
	} else {
		out.WriteString("// The rival comes between check and act; the outcome is one that a serial order has, too, or it\n// is not repeatable:\n//\n")
	}
	for _, x := range []struct{ what, text string }{{"interleaved", t.Outcome}, {"unit first", t.Serial[0]}, {"rival first", t.Serial[1]}} {
		fmt.Fprintf(&out, "//\t%s:\n//\t\t%s\n", x.what, strings.ReplaceAll(x.text, "\n", "\n//\t\t"))
	}
	fmt.Fprintf(&out, "//\n// atomvet repro -finding=%s -test=FILE PACKAGE runs it again: that adds the switch.\n\n", f.ID)
	return out.String()
}
