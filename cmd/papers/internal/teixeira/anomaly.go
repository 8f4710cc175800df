package teixeira

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/cmd/papers/internal/teixeira/trace"
	"github.com/atomvet/atomvet/passes/summary"
)

// A detector analyzes one package.
type detector struct {
	pass   *analysis.Pass
	pkg    *summary.Package
	traces *trace.Traces
	atoms  []*trace.Atom
}

// A place is a pair of places in a function, with the pattern and the fields that
// match there: what one report is for.
type place struct {
	first, second ssa.Instruction
	pattern       string
	a, b          trace.Field
}

// A finding is an anomaly with the names of the functions that have its parts.
type finding struct{ firsts, seconds, threats map[string]bool }

// anomalies returns the reports for the package, in order.
func (d *detector) anomalies() []analysis.Diagnostic {
	var out []analysis.Diagnostic
	for _, f := range d.pkg.Funcs {
		// Under a lock of all callers there is but one atom, theirs.
		if !d.counts(f) || len(f.Entry) > 0 {
			continue
		}
		found := make(map[place]*finding)
		for p := range d.traces.Of[f].Pairs {
			d.match(f, p, found)
		}
		for at, v := range found {
			out = append(out, d.diagnostic(at, v))
		}
	}
	slices.SortFunc(out, func(a, b analysis.Diagnostic) int {
		return cmp.Or(trace.Compare(d.pass.Fset, a.Pos, b.Pos), strings.Compare(a.Message, b.Message), trace.Compare(d.pass.Fset, a.Related[0].Pos, b.Related[0].Pos))
	})
	return out
}

// counts reports whether f can be part of an anomaly: tests cannot, nor what works
// on objects that nobody else knows yet.
func (d *detector) counts(f *summary.Func) bool { return !f.Test && !f.Constructs() }

// match adds the anomalies of a pair of atoms in f.
func (d *detector) match(f *summary.Func, p trace.Pair, found map[place]*finding) {
	cross := func(pattern string, as, bs map[trace.Field]bool, threat func(*trace.Atom) map[trace.Field]bool) {
		for a := range as {
			threats := d.threats(f, a, threat)
			for b := range bs {
				if (a == b) == (pattern == RwW) && len(threats) > 0 {
					at := place{p.First.Instr, p.Second.Instr, pattern, a, b}
					v := found[at]
					if v == nil {
						v = &finding{make(map[string]bool), make(map[string]bool), make(map[string]bool)}
						found[at] = v
					}
					v.firsts[p.First.Name()], v.seconds[p.Second.Name()] = true, true
					maps.Copy(v.threats, threats)
				}
			}
		}
	}
	reads := func(a *trace.Atom) map[trace.Field]bool { return a.Reads }
	writes := func(a *trace.Atom) map[trace.Field]bool { return a.Writes }
	cross(RwR, p.First.Reads, p.Second.Reads, writes)
	cross(WrW, p.First.Writes, p.Second.Writes, reads)
	cross(RwW, p.First.Reads, p.Second.Writes, writes)
}

// threats returns the names of the atoms that may come in between two of f with an
// access to a.
func (d *detector) threats(f *summary.Func, a trace.Field, of func(*trace.Atom) map[trace.Field]bool) map[string]bool {
	out := make(map[string]bool)
	for _, t := range d.atoms {
		if of(t)[a] && d.counts(t.Func) && d.pkg.Processes().MayRunTogether(f, t.Func) {
			out[t.Name()] = true
		}
	}
	return out
}

// list returns names as a message shows them.
func list(names map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

func (d *detector) diagnostic(at place, v *finding) analysis.Diagnostic {
	first := at.first.Pos()
	did, threat := "read", "written"
	if at.pattern == WrW {
		did, threat = threat, did
	}
	here := at.b.Name + " here"
	if at.pattern == RwW {
		here = "written here"
	}
	return analysis.Diagnostic{
		Pos:      at.second.Pos(),
		Category: at.pattern,
		Message: fmt.Sprintf("%s: %s is %s at line %d (by %s) and %s (by %s), in two critical sections; in between it may be %s by %s",
			at.pattern, at.a.Name, did, d.pass.Fset.Position(first).Line, list(v.firsts), here, list(v.seconds), threat, list(v.threats)),
		Related: []analysis.RelatedInformation{{Pos: first, Message: "the first critical section"}},
	}
}
