package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// insertsMade: there is no element under a key, and what is then put into the container was
// made with that key. It is put in under a key of its own, which nobody knows to be another:
// mostly a field with the one that it was given.
//
//	if s.has(id) {
//		return errExists
//	}
//	s.add(start(id)) // s.m[p.id] = p
//
// Two goroutines that have found nothing both make an element, and the second replaces the
// first.
func (p *pair) insertsMade() bool {
	r, w := p.read, p.act
	if r.Loc != w.Loc || !p.decides || r.Key == "" || w.Key == "" || w.Op&summary.Delete != 0 || w.Const != "" ||
		!accesspath.Same(r.Base, w.Base) || r.Key.HasAny() || !p.isMadeKey(w.Key) {
		return false
	}
	absent := slices.ContainsFunc(p.facts(), func(f fact) bool { return f.to == present && !f.equal })
	return absent && slices.ContainsFunc(w.Inputs, p.isMadeWithKey)
}

// isMadeKey reports whether a key is a part of the result of a call, in the function or in a
// callee.
func (p *pair) isMadeKey(k accesspath.Key) bool {
	if k == accesspath.AnyKey {
		return true
	}
	path := k.Path()
	if path == path.Root() {
		return false
	}
	switch p.made(path).(type) {
	case *ssa.Call, *ssa.Extract:
		return true
	}
	return false
}

// made returns what an object, or a local variable that is a copy of one, is made by.
func (p *pair) made(path accesspath.Path) ssa.Value {
	if v, ok := p.d.f.Res.Definition(path.Root()).(*ssa.Alloc); ok {
		return copied(v)
	}
	return p.d.f.Res.Definition(path)
}

// isMadeAlike: the element is no reference, and made by a call whose result depends on the arguments alone.
//
//	r := parse(text)   // a struct
//	s.rules[r.name] = r
func (c *candidate) isMadeAlike() bool {
	path := c.act.Key.Path()
	if path == accesspath.Unknown || len(c.act.Inputs) == 0 || ssautil.IsReference(put(c.act).Type()) {
		return false
	}
	call, _ := ssautil.CallOf(c.made(path))
	return call != nil && c.d.pkg.Processes().Deterministic(call)
}

// copied returns what a local variable is a copy of, maybe by way of other ones; nil if it is stored to more than once.
//
//	q := s.db.Find(id)
//	p := q // a struct
func copied(v *ssa.Alloc) ssa.Value {
	for range limit.Copies {
		store := onlyWhole(v)
		if store == nil {
			return nil
		}
		load, ok := store.Val.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return store.Val
		}
		if v, ok = load.X.(*ssa.Alloc); !ok {
			return load
		}
	}
	return nil
}

// onlyWhole returns the one store of a whole struct to a local variable, or nil.
func onlyWhole(v *ssa.Alloc) *ssa.Store {
	var only *ssa.Store
	for _, use := range *v.Referrers() {
		if st, ok := use.(*ssa.Store); ok && st.Addr == v {
			if only != nil {
				return nil
			}
			only = st
		}
	}
	return only
}

// isMadeWithKey reports whether a value is computed from the key of the read.
func (p *pair) isMadeWithKey(v ssa.Value) bool {
	return slices.ContainsFunc(p.d.f.Slice(v), func(from ssa.Value) bool {
		_, isConst := from.(*ssa.Const)
		return !isConst && p.d.f.Res.Key(from) == p.read.Key
	})
}
