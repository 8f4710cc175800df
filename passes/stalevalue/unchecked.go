package stalevalue

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// unchecked finds the act that is no write: an element is looked up under a
// lock, found, and looked up again in a later passage, and what the second look
// yields is dereferenced without asking whether it is still there.
//
//	if !s.Has(id) || s.Get(id).Learner { … }
//
// The second look may also be at another container, from which whoever removes the
// element removes it as well.
func (d *detector) unchecked(ri int, r *summary.Event, guard summary.Hold, info *summary.LocInfo) []stale {
	if r.Key == "" || info.InsertOnly {
		return nil
	}
	var out []stale
	for ei, e := range d.f.Events {
		if e == r || !e.Reads() || e.Writes() || !accesspath.Same(e.Base, r.Base) ||
			!accesspath.SameElement(e.Key, r.Key) || e.Ord == r.Ord || e.Loc != r.Loc && !d.goesWith(e, info) {
			continue
		}
		s := stale{read: r, act: e, readIndex: ri, guard: guard, info: info, category: checkThenAct, check: true}
		use := d.dereference(e)
		if use == nil || !d.splits(&s) || d.onePassage(r, e) {
			continue
		}
		decided := d.decidedBy(use.Block())
		if !slices.Contains(decided, ri) || slices.Contains(decided, ei) || d.putThere(r, e) {
			continue
		}
		if s.writer = d.interferer(&s); s.writer != nil {
			out = append(out, s)
		}
	}
	return out
}

// goesWith reports whether the element that e looks up is removed together with one of
// another container.
func (d *detector) goesWith(e *summary.Event, other *summary.LocInfo) bool {
	info := d.pkg.Location(e.Loc)
	return !info.Constant() && other.IsJoint(e.Loc) && slices.ContainsFunc(info.Writers, func(w summary.Writer) bool {
		return w.Effect == summary.Removes && slices.ContainsFunc(other.Writers, func(o summary.Writer) bool {
			return o.Func == w.Func && o.Effect == summary.Removes
		})
	})
}

// putThere reports whether the passage of e has put the element there before it
// reads it.
func (d *detector) putThere(r, e *summary.Event) bool {
	return slices.ContainsFunc(d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Op&summary.Delete == 0 && sameCell(w, e) && d.onePassage(w, e) && d.f.Order().MustPass(r.Instr, w.Instr, e.Instr)
	})
}

// dereference returns an instruction that fails if what e read is nil.
func (d *detector) dereference(e *summary.Event) ssa.Instruction {
	for _, v := range e.Values {
		if _, ok := v.Type().Underlying().(*types.Pointer); !ok {
			continue
		}
		for _, use := range *v.Referrers() {
			switch use := use.(type) {
			case *ssa.FieldAddr:
				return use
			case *ssa.UnOp:
				if use.Op == token.MUL {
					return use
				}
			case *ssa.Call:
				if summary.IsReceiver(use, v) && summary.NeedsReceiver(use.Call.StaticCallee()) {
					return use
				}
			}
		}
	}
	return nil
}

// decidedBy returns the read events that decide whether b runs.
func (d *detector) decidedBy(b *ssa.BasicBlock) []int {
	probe := &summary.Event{Instr: b.Instrs[0]}
	var out []int
	for _, c := range d.pkg.Conditions(probe) {
		slice := d.pkg.Slice(d.f, c)
		for i, e := range d.f.Events {
			if e.Reads() && slice.HasAny(e.Values) {
				out = append(out, i)
			}
		}
	}
	return out
}
