package methodviews

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/cmd/papers/internal/teixeira/trace"
	"github.com/atomvet/atomvet/passes/summary"
)

// A detector analyzes one package.
type detector struct {
	pass    *analysis.Pass
	pkg     *summary.Package
	methods []method
}

// A region is a critical section with its view, at a place in some function.
type region struct {
	view
	pos  token.Pos
	name string
}

// violations returns the reports for the package, in order.
func (d *detector) violations(traces *trace.Traces) []analysis.Diagnostic {
	for _, f := range d.pkg.Funcs {
		if d.counts(f) && isMethod(f) {
			d.methods = append(d.methods, method{f, viewOf(traces.Of[f].All)})
		}
	}
	var out []analysis.Diagnostic
	for _, f := range d.pkg.Funcs {
		// Under a lock of all callers there is but one region, theirs.
		if d.counts(f) && len(f.Entry) == 0 {
			out = append(out, d.pairs(f, regions(traces.Of[f]))...)
		}
	}
	slices.SortStableFunc(out, func(a, b analysis.Diagnostic) int {
		return cmp.Or(trace.Compare(d.pass.Fset, a.Pos, b.Pos), strings.Compare(a.Message, b.Message))
	})
	return out
}

// counts reports whether f can be part of a violation: tests cannot, nor what works
// on objects that nobody else knows yet.
func (d *detector) counts(f *summary.Func) bool { return !f.Test && !f.Constructs() }

// regions returns the regions of a function, in the order of the text.
func regions(t *trace.Trace) []region {
	var out []region
	for o := range t.Atoms {
		out = append(out, region{viewOf(o.Accesses), o.Instr.Pos(), o.Name()})
	}
	slices.SortFunc(out, func(a, b region) int {
		return cmp.Or(cmp.Compare(a.pos, b.pos), strings.Compare(a.name, b.name), strings.Compare(a.String(), b.String()))
	})
	return out
}

// pairs reports on the pairs of regions of f: one for each two places, whatever
// regions begin there.
func (d *detector) pairs(f *summary.Func, regions []region) []analysis.Diagnostic {
	var out []analysis.Diagnostic
	done := make(map[[2]token.Pos]bool)
	for i, second := range regions {
		for _, first := range regions[:i] {
			at := [2]token.Pos{first.pos, second.pos}
			// Two in one call come together in the callee.
			if first.pos == second.pos || done[at] {
				continue
			}
			if diag, ok := d.compare(f, first, second); ok {
				out = append(out, diag)
				done[at] = true
			}
		}
	}
	return out
}

// compare reports two regions of f if their overlaps with the view of some method
// that can run at the same time are no chain. It shows the overlaps with the view
// of f itself, if they are none, else with that of the first of the methods.
func (d *detector) compare(f *summary.Func, first, second region) (analysis.Diagnostic, bool) {
	var a, b view
	var of []string
	for _, m := range d.methods {
		x, y := first.overlap(m.view), second.overlap(m.view)
		if x.partOf(y) || y.partOf(x) || !d.pkg.Processes().MayRunTogether(f, m.Func) {
			continue
		}
		name := summary.Name(m.Fn)
		if len(of) == 0 || m.Func == f {
			a, b = x, y
			of = slices.Insert(of, 0, name)
		} else {
			of = append(of, name)
		}
	}
	if len(of) == 0 {
		return analysis.Diagnostic{}, false
	}
	return analysis.Diagnostic{
		Pos:      second.pos,
		Category: Category,
		Message: fmt.Sprintf("%s: %s at line %d, and %s here, lie in two regions, but in one view, of %s",
			Category, a, d.pass.Fset.Position(first.pos).Line, b, strings.Join(of, ", ")),
		Related: []analysis.RelatedInformation{{Pos: first.pos, Message: "the first region"}},
	}, true
}
