package stalevalue

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// Who wants to know of changes is given the present state and is put on the list of
// those who are told. In this order a change in between is missed: who makes it does
// not find it on the list yet, and it has the old state. The two functions are in a
// cycle of conflicts, R(x) W'(x) R'(list) W(list). The other order is right.

// subscribes reports registrations that come after the state was given.
func (d *detector) subscribes() {
	after(d, d.pkg.Notifies, d.misses, d.lateSubscription)
}

// misses reports whether w may change what seen has read before put puts on the list the
// one who was given that.
func (d *detector) misses(seen, put *summary.Event, w summary.Writer) bool {
	if !seen.Reads() || seen.Writes() || seen.Key != "" || d.owned(seen) || seen.Loc == put.Loc || seen.Ord == put.Ord ||
		len(seen.Holds) == 0 || len(seen.Values) == 0 || !accesspath.Same(seen.Base, put.Base) {
		return false
	}
	forward := summary.Way{From: seen.Instr, To: put.Instr, Forward: true}
	return d.pkg.Concurrent(d.f, &w) && d.f.Order().Exists(forward) && !d.onePassage(seen, put) &&
		!w.Needs(d.f.Order().HeldForward(seen, put)) && !d.looksAgain(seen, put) && d.givenTo(seen, put)
}

// looksAgain reports whether the function reads after put what it has seen before.
func (d *detector) looksAgain(seen, put *summary.Event) bool {
	return slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && e.Loc == seen.Loc && d.f.Order().Exists(summary.Way{From: put.Instr, To: e.Instr, Forward: true})
	})
}

// givenTo reports whether what was seen, and what is put on the list, come together:
// in a call, a result, or as a part of the other.
func (d *detector) givenTo(seen, put *summary.Event) bool {
	objects := d.objects(put)
	for _, k := range d.pkg.Sinks(d.f) {
		if k.Instr == put.Instr || !k.Data.HasAny(seen.Values) {
			continue
		}
		switch instr := k.Instr.(type) {
		case *ssa.Store:
			if slices.ContainsFunc(objectOf(instr.Addr), func(v ssa.Value) bool { return slices.Contains(objects, d.f.Res.Resolve(v).Path) }) {
				return true
			}
		case ssa.CallInstruction:
			if slices.ContainsFunc(instr.Common().Args, func(v ssa.Value) bool { return slices.Contains(objects, d.f.Res.Resolve(v).Path) }) {
				return true
			}
		}
	}
	return false
}

// objects returns the paths of the objects that put puts in.
func (d *detector) objects(put *summary.Event) []accesspath.Path {
	var out []accesspath.Path
	for _, v := range slices.Concat(put.Inputs, put.Added) {
		path := d.f.Res.Resolve(v).Path
		if _, basic := v.Type().Underlying().(*types.Basic); !basic && path != accesspath.Unknown && !put.Base.Within(path) {
			out = append(out, path)
		}
	}
	return out
}

func (d *detector) lateSubscription(seen, put *summary.Event, w summary.Writer) {
	d.late(staleUse, put, fmt.Sprintf(
		"%s was read at line %d for what is only put into %s here; %s (%s), which writes the one and then goes through the other, may run in between and be missed",
		d.f.NameOf(seen), d.line(d.pos(seen)), d.f.NameOf(put), w.Func, w.Pos.Text),
		seen, "read", w)
}
