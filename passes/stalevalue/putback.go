package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// putsBack: an element is looked up, a copy of it is changed, and put back under a key that is a
// field of the copy. Elements that have their key in them are found under that key: it is the
// same element, as long as the function does not change the field.
//
//	u := s.user(id)
//	u.logins++
//	s.save(u) // s.users[u.id] = u
//
// An update by another goroutine in between is lost.
func (p *pair) putsBack() bool {
	r, w := p.read, p.act
	if !p.data || r.Loc != w.Loc || r.Key == "" || r.Key.IsNested() || w.Key.IsNested() || w.Op&summary.Delete != 0 || w.Const != "" ||
		!accesspath.Same(r.Base, w.Base) {
		return false
	}
	key := w.Key.Path()
	if key == accesspath.Unknown || key.Parent() != key.Root() {
		return false
	}
	copied := p.d.f.Res.Definition(key.Root())
	return p.isElement(copied, nil) && !p.isStored(copied, key.Last())
}

// isElement reports whether v is the element that was read, a variable that holds it, or one of
// several objects of which one is.
func (p *pair) isElement(v ssa.Value, seen []ssa.Value) bool {
	if v == nil || slices.Contains(seen, v) {
		return false
	}
	if slices.Contains(p.read.Values, v) {
		return true
	}
	seen = append(seen, v)
	switch v := v.(type) {
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return p.isElement(e, seen) })
	case *ssa.UnOp:
		_, local := v.X.(*ssa.Alloc)
		return v.Op == token.MUL && local && p.isElement(v.X, seen)
	case *ssa.Alloc:
		return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
			st, ok := use.(*ssa.Store)
			return ok && st.Addr == v && p.isElement(st.Val, seen)
		})
	}
	return false
}

// isStored reports whether the function stores to a field of the struct v, or that v points to.
func (p *pair) isStored(v ssa.Value, field string) bool {
	return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
		at, ok := use.(*ssa.FieldAddr)
		if !ok || "."+ssautil.Field(at.X.Type(), at.Field).Name() != field {
			return false
		}
		return slices.ContainsFunc(ssautil.Uses(at), func(use ssa.Instruction) bool {
			st, ok := use.(*ssa.Store)
			return ok && st.Addr == at
		})
	})
}
