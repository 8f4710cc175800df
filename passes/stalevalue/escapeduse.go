package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// Uses of an escaped reference that do not look into the container.

// appendsTo returns the appends to the slice v that r has read, or to a part of it with room
// for more. The result must not go back to where the slice was read: that is an update.
func (d *detector) appendsTo(r *summary.Event, v ssa.Value) []ssa.Instruction {
	if r.Key != "" || !d.others.HasSpare(r.Loc) {
		return nil
	}
	var out []ssa.Instruction
	for _, from := range aliases(v) {
		for _, use := range ssautil.Uses(from) {
			c, ok := use.(*ssa.Call)
			if !ok || !ssautil.IsAppend(c) || c.Call.Args[0] != from || d.isStoredBack(r, c) {
				continue
			}
			out = append(out, c)
		}
	}
	return out
}

// isStoredBack reports whether the value of v is written where r has read.
func (d *detector) isStoredBack(r *summary.Event, v ssa.Value) bool {
	return slices.ContainsFunc(d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Loc == r.Loc && slices.ContainsFunc(w.Inputs, func(in ssa.Value) bool { return d.f.Slice(in).Has(v) })
	})
}

// aliases returns v and the slices of v that keep its capacity.
func aliases(v ssa.Value) []ssa.Value {
	out := []ssa.Value{v}
	for i := 0; i < len(out); i++ {
		for _, use := range *out[i].Referrers() {
			next, isValue := use.(ssa.Value)
			switch use := use.(type) {
			case *ssa.Slice:
				isValue = use.Max == nil
			case *ssa.Phi, *ssa.ChangeType:
			default:
				isValue = false
			}
			if isValue && !slices.Contains(out, next) {
				out = append(out, next)
			}
		}
	}
	return out
}

// returnsOf returns the return statements by which a function that other packages can call
// gives v, by itself or in a struct, to its callers, who do not hold the guard then.
func (d *detector) returnsOf(r *summary.Event, v ssa.Value, under summary.Hold) []ssa.Instruction {
	if !d.others.Entered(d.f.Node) || d.f.Test || slices.Contains(under.Sites, lockset.Entry) || d.staysHeld(under) {
		return nil
	}
	var out []ssa.Instruction
	given := carriers(d, v, r.Base)
	for _, ret := range ssautil.Returns(d.f.Fn) {
		for i := range ret.Results {
			if slices.Contains(given, ssautil.Returned(ret, i)) {
				out = append(out, ret)
			}
		}
	}
	return out
}

// staysHeld reports whether the function returns with the guard held.
func (d *detector) staysHeld(under summary.Hold) bool {
	return slices.ContainsFunc(d.f.Sum.Effects, func(op lockset.Op) bool {
		return op.Kind == lockset.Acquire && op.Guard.Path == under.Path
	})
}

// asWriter returns the function itself as a writer of what it appends to.
func (r *reference) asWriter() summary.Writer {
	w := r.d.f.Writer(r.read)
	w.Part, w.Pos = true, r.d.others.Pos(r.use.Pos())
	return w
}

// useName says what the function does with the reference.
func (r *reference) useName() string {
	switch r.use.(type) {
	case *ssa.Return:
		return "returned here to callers without that lock"
	case *ssa.Send, *ssa.Select:
		return "sent here to receivers without that lock"
	}
	if r.appends {
		return "appended to here after that was released, which may write into the array that all share"
	}
	return "used here after that was released"
}

// rivalName says what the rival does.
func (r *reference) rivalName() string {
	if r.appends {
		return "may be doing the same"
	}
	return "changes elements of it in place"
}
