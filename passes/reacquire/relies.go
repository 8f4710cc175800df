package reacquire

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/summary"
)

// relies reports whether access j of the second passage relies on what read i of
// the first has found.
func (d *detector) relies(r pair, i, j int, second []int) bool {
	read, e := d.f.Events[i], d.f.Events[j]
	if len(read.Values) == 0 && read.Callee == nil || read.OnlyErrors() {
		return false
	}
	if i != j {
		// The next round of a loop is another operation.
		way := summary.Way{From: read.Instr, To: e.Instr, Forward: true}
		if !d.f.Order().Exists(way) || d.checked(second, read, e) {
			return false
		}
	}
	if e.Writes() {
		return d.writesOn(read, i, e)
	}
	if info := d.pkg.Location(read.Loc); info.InsertOnly || isFlag(info) && read.Loc == e.Loc {
		return false // what has been found is found again; who asks again may see the end
	}
	if i == j {
		return isFixed(read.Key) && (d.carried(read) && !d.asksAnew(read) || d.steers(r.context, i))
	}
	if e.OnlyErrors() {
		return false // it refuses what no longer fits
	}
	join, joined := d.pkg.Joined(d.f, read, e)
	if d.readsAgain(read, e, second) {
		return joined && join.Word != summary.JoinedInDecision || d.oneUpdate(r.context, i, j, true)
	}
	if d.dependent(read, e) {
		return d.used(e)
	}
	return joined || d.oneUpdate(r.context, i, j, false)
}

// isFlag reports whether a variable only ever comes to its end. What is cleared for
// good comes to an end, too, but two reads of it may be at odds.
func isFlag(info *summary.LocInfo) bool {
	return !info.Constant() && info.Latch != "" && info.Latch != "nil"
}

// isFixed reports whether a key selects the same element in every round of a loop.
func isFixed(key accesspath.Key) bool {
	return key == "" || !accesspath.Path(key).IsLocal() && !key.HasAny()
}

// writesOn reports whether a write in the second passage depends on what was read
// in the first, and does not look for itself what is there, or replaces it while
// the old value is still used.
func (d *detector) writesOn(read *summary.Event, i int, e *summary.Event) bool {
	if e.Op&summary.Compare != 0 || e.Looked() || e.Once() {
		return false
	}
	if slices.Contains(e.Data, i) || !e.Delta() && d.usedAfter(read, e) {
		return true
	}
	return d.pkg.LeadsTo(d.f, read, e.Instr.Block())
}

// asksAnew reports whether every round of a loop asks with arguments of its own: then
// its answer is about something else.
func (d *detector) asksAnew(read *summary.Event) bool {
	c, ok := read.Instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	args := c.Common().Args
	if c.Common().Signature().Recv() != nil && !c.Common().IsInvoke() {
		args = args[1:]
	}
	return slices.ContainsFunc(args, func(a ssa.Value) bool {
		made, ok := a.(ssa.Instruction)
		return ok && summary.Reaches(read.Instr, made)
	})
}

// readsAgain reports whether the first read has only decided that there is a second
// passage, which reads the same variable again: what it finds then is what counts. An
// element is another matter: it may not be there any more.
func (d *detector) readsAgain(read, e *summary.Event, second []int) bool {
	if d.given(read, e) {
		return false
	}
	return read.Key == "" && slices.ContainsFunc(second, func(i int) bool {
		o := d.f.Events[i]
		return o.Reads() && o.Loc == read.Loc && o.Key == "" && accesspath.Same(o.Base, read.Base) && slices.ContainsFunc(o.Values, isBasic)
	})
}

func isBasic(v ssa.Value) bool {
	_, basic := v.Type().Underlying().(*types.Basic)
	return basic
}

// dependent reports whether the second read is made because of the value of the
// first, or with it, or with one that was compared with it:
// for i := 0; i < c.Len(); i++ { c.At(i) }.
func (d *detector) dependent(read, e *summary.Event) bool {
	_, isCall := e.Instr.(ssa.CallInstruction)
	return isCall && (d.given(read, e) || d.pkg.LeadsTo(d.f, read, e.Instr.Block()))
}

// given reports whether e is made by a call that is given what was read.
func (d *detector) given(read, e *summary.Event) bool {
	c, ok := e.Instr.(ssa.CallInstruction)
	return ok && slices.ContainsFunc(c.Common().Args, func(a ssa.Value) bool { return d.pkg.Slice(d.f, a).HasAny(read.Values) })
}

// carried reports whether the rounds of a loop put together what they read.
func (d *detector) carried(read *summary.Event) bool {
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			phi, ok := instr.(*ssa.Phi)
			if !ok {
				break
			}
			for _, v := range phi.Edges {
				if s := d.pkg.Slice(d.f, v); s.Has(phi) && s.HasAny(read.Values) {
					return true
				}
			}
		}
	}
	return false
}

// steers reports whether every round of a loop updates what the context protects,
// as read i tells it to, and goes on as that tells it. Polling, which only waits
// for the last round, does not.
func (d *detector) steers(c context, i int) bool {
	read := d.f.Events[i]
	writes := slices.ContainsFunc(d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && (slices.Contains(w.Data, i) || slices.Contains(w.Control, i)) &&
			slices.Contains(d.pkg.Location(w.Loc).Guarding(), c.Class) && summary.Reaches(w.Instr, read.Instr)
	})
	if !writes {
		return false
	}
	failing := depgraph.Failing(d.f.Fn)
	for br := range d.pkg.BranchesOn(d.f, read.Values) {
		again := func(side int) bool {
			to := br.Block().Succs[side]
			return summary.Reaches(to.Instrs[0], read.Instr) || to == read.Instr.Block()
		}
		// A panic is no way to go on.
		ends := func(side int) bool { return !again(side) && !failing[br.Block().Succs[side].Index] }
		if summary.Reaches(read.Instr, br) && (again(0) && ends(1) || again(1) && ends(0)) {
			return true
		}
	}
	return false
}

// checked reports whether the second passage asks first whether there is what it
// is about: then it does not rely on the first.
func (d *detector) checked(second []int, read, e *summary.Event) bool {
	return slices.ContainsFunc(second, func(i int) bool {
		o := d.f.Events[i]
		return o.Reads() && o.Loc == e.Loc && (d.tested(o) || d.compared(read, o))
	})
}

// compared reports whether a branch asks if what is read now is what was read
// before.
func (d *detector) compared(read, now *summary.Event) bool {
	for br := range depgraph.Branches(d.f.Fn) {
		c, ok := br.Cond.(*ssa.BinOp)
		if !ok || c.Op != token.EQL && c.Op != token.NEQ {
			continue
		}
		old := func(v ssa.Value) bool { return d.pkg.Slice(d.f, v).HasAny(read.Values) }
		if slices.Contains(now.Values, c.X) && old(c.Y) || slices.Contains(now.Values, c.Y) && old(c.X) {
			return true
		}
	}
	return false
}

// tested reports whether a branch asks for the presence, the length or a certain
// constant of what e read.
func (d *detector) tested(e *summary.Event) bool {
	for br := range depgraph.Branches(d.f.Fn) {
		switch c := br.Cond.(type) {
		case *ssa.Extract:
			if c.Index > 0 && slices.Contains(e.Values, ssa.Value(c)) {
				return true
			}
		case *ssa.BinOp:
			if _, ok := c.Y.(*ssa.Const); ok && slices.Contains(e.Values, depgraph.LengthOf(c.X)) {
				return true
			}
		}
	}
	return false
}

// usedAfter reports whether a sink behind e uses the value read.
func (d *detector) usedAfter(read, e *summary.Event) bool {
	return slices.ContainsFunc(d.pkg.Sinks(d.f), func(k summary.Sink) bool {
		return k.Instr != e.Instr && k.Instr != read.Instr && k.Data.HasAny(read.Values) && d.f.Order().Flows(e.Instr, k.Instr)
	})
}

// used reports whether the value read has an effect in the function.
func (d *detector) used(read *summary.Event) bool {
	for range d.pkg.BranchesOn(d.f, read.Values) {
		return true
	}
	return slices.ContainsFunc(d.pkg.Sinks(d.f), func(k summary.Sink) bool {
		return k.Instr != read.Instr && k.Data.HasAny(read.Values)
	})
}

// oneUpdate reports whether both reads decide what is written to places that the
// context keeps consistent: the results are combined in one update. If it takes two,
// the same write for both is none.
func (d *detector) oneUpdate(c context, i, j int, two bool) bool {
	var first, second []*summary.Event
	for _, w := range d.f.Events {
		if !w.Writes() || !slices.Contains(d.pkg.Location(w.Loc).Guarding(), c.Class) {
			continue
		}
		if slices.Contains(w.Data, i) || slices.Contains(w.Control, i) {
			first = append(first, w)
		}
		if slices.Contains(w.Data, j) || slices.Contains(w.Control, j) {
			second = append(second, w)
		}
	}
	return slices.ContainsFunc(first, func(v *summary.Event) bool {
		return slices.ContainsFunc(second, func(w *summary.Event) bool {
			if two && v == w {
				return false
			}
			if v.Loc == w.Loc {
				return v.Key == "" || w.Key == "" || accesspath.SameElement(v.Key, w.Key)
			}
			return d.pkg.Location(v.Loc).IsJoint(w.Loc)
		})
	})
}
