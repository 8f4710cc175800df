package stalevalue

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// isUnordered: a section takes a variable to its next value, and a later one puts that value in place of an older one
// somewhere else. Two runs may come to the second section in the other order, and the older value stays:
//
//	low := w.finish(offset) // w.low++ under w.mu
//	o.commit(low)           // o.committed = low, not max(o.committed, low)
//
// Only a place that all runs share keeps an older value: an element under a key that is given to the function, or
// computed from the value, is another one in each run. A number that is drawn from an atomic counter is a name.
func (p *pair) isUnordered() bool {
	r, w := p.read, p.act
	return p.data && !p.guard.IsAtomic() && r.Loc != w.Loc && !w.Base.IsLocal() && w.Const == "" && !w.Delta() && w.Op&(summary.Delete|summary.Content) == 0 && len(w.Added) == 0 &&
		p.isShared() && p.advance() != nil
}

// isDisordered: a number is drawn, and what has it is appended to a list in a later section. Two runs may come to the
// second section in the other order:
//
//	e := Event{ID: o.next()} // o.last++ under o.mu, or o.last.Add(1)
//	o.mu.Lock(); o.events = append(o.events, e); o.mu.Unlock()
//
// The list is meant to be in the order of the numbers if a reader compares the number of an element with a cursor, the last
// number that it has read: it skips an element that is appended after one with a greater number. A list that is sorted by
// the numbers may be filled in any order.
func (p *pair) isDisordered() bool {
	r, w := p.read, p.act
	if !p.data || r.Loc == w.Loc || w.Base.IsLocal() || w.Delta() || p.advance() == nil {
		return false
	}
	return slices.ContainsFunc(p.numbered(p.appended()), p.d.others.IsPosition)
}

// numbered returns the fields of the values appended that get the number which was drawn.
func (p *pair) numbered(appended []ssa.Value) []*types.Var {
	var out []*types.Var
	for _, b := range p.d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			store, ok := instr.(*ssa.Store)
			if !ok {
				continue
			}
			at, ok := store.Addr.(*ssa.FieldAddr)
			if ok && slices.ContainsFunc(appended, func(v ssa.Value) bool { return holds(v.Type(), ssautil.Deref(at.X.Type())) }) && p.d.f.Slice(store.Val).HasAny(p.read.Values) {
				out = append(out, ssautil.Field(at.X.Type(), at.Field))
			}
		}
	}
	return out
}

// holds reports whether values of type t are, or refer to, elements of another type.
func holds(t, element types.Type) bool {
	if list, ok := t.Underlying().(*types.Slice); ok {
		t = list.Elem()
	}
	return types.Identical(ssautil.Deref(t), element)
}

// isShared reports whether all runs of the function on an object write the same variable.
func (p *pair) isShared() bool {
	for _, k := range append(p.act.Base.Keys(), p.act.Key) {
		at := k.Path()
		if _, constant := k.Const(); k != "" && !constant && (at == at.Root() || at.IsLocal() || at.IsComputed() || k.IsNested() || k.HasAny() || at.Within(p.read.MemberPath())) {
			return false
		}
	}
	return true
}

// advance returns the write by which the section of the read takes the variable to its next value, or nil.
func (p *pair) advance() *summary.Event {
	i := slices.IndexFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Const == "" && e.Op&summary.Delete == 0 && e.Key == "" && e.Loc == p.read.Loc && accesspath.Same(e.Base, p.read.Base) &&
			(e == p.read || summary.SharePassage(e, p.read)) && (e.Delta() || e.Effect() == summary.Raises)
	})
	if i < 0 {
		return nil
	}
	return p.d.f.Events[i]
}
