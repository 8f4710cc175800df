package viewconsistency

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A version is a number that is raised with each change of what it tells of. Who reads the version first has data that are as new as the
// version says, or newer, and whatever is kept under the version of old data is never kept under the new one:
//
//	gen := s.gen.Load()
//	v := s.rules.Load().eval(k)
//	s.memo.put(gen, k, v) // if m.of != gen { m.clear(); m.of = gen }
//
// So that this holds the data are written before the version is raised, or in one critical section with it, which the reader
// waits for; and what gets the two compares the version with another one. A number under which something is kept is no version but a
// name, which has to be that of the data:
//
//	s.keys[id] = key
//	s.key, s.active = key, id

// versionFirst: the first read is of a version, and nobody raises it before the data are there.
func (c *candidate) versionFirst() bool {
	version := c.d.pkg.Location(c.first.Loc)
	if !version.Counter || c.d.pkg.Location(c.second.Loc).Counter || slices.ContainsFunc(version.Writers, func(w summary.Writer) bool { return w.Effect != summary.Raises }) {
		return false
	}
	return c.givesVersion() && !slices.ContainsFunc(c.d.pkg.Funcs, func(f *summary.Func) bool {
		return slices.ContainsFunc(f.Events, func(raise *summary.Event) bool {
			return raise.Writes() && raise.Loc == c.first.Loc && slices.ContainsFunc(f.Events, func(w *summary.Event) bool {
				return w.Writes() && (isKeptUnder(f, w, raise) || w.Loc == c.second.Loc && c.comesLater(f, w, raise))
			})
		})
	})
}

// givesVersion reports whether the two values come together in a call of a function that compares the version with another one: it
// keeps what is of the present version, or of a newer one.
func (c *candidate) givesVersion() bool {
	call, ok := c.join().At.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return false
	}
	params := call.Call.StaticCallee().Params
	for i, arg := range call.Call.Args {
		if i < len(params) && slices.Contains(c.first.Values, arg) && slices.ContainsFunc(ssautil.Uses(params[i]), func(use ssa.Instruction) bool {
			op, ok := use.(*ssa.BinOp)
			return ok && ssautil.IsComparison(op.Op) && !ssautil.IsConst(op.X) && !ssautil.IsConst(op.Y)
		}) {
			return true
		}
	}
	return false
}

// comesLater reports whether f writes the data after it has raised the version, in another step for the reader.
func (c *candidate) comesLater(f *summary.Func, w, raise *summary.Event) bool {
	return w.Ord != raise.Ord && f.Order().Flows(raise.Instr, w.Instr) && !c.seesOneStep(raise, w)
}

// isKeptUnder reports whether f puts an element into a container under the number that it stores.
func isKeptUnder(f *summary.Func, put, number *summary.Event) bool {
	return put.Key != "" && slices.ContainsFunc(number.Inputs, func(v ssa.Value) bool { return f.Res.Key(v).Path() == put.Key.Path() })
}

// seesOneStep reports whether two writes are made in one critical section that the first read waits for.
func (c *candidate) seesOneStep(a, b *summary.Event) bool {
	return slices.ContainsFunc(a.Holds, func(h summary.Hold) bool {
		return slices.ContainsFunc(b.Holds, h.SamePassage) && slices.ContainsFunc(c.first.Holds, func(of summary.Hold) bool { return of.Class == h.Class })
	})
}
