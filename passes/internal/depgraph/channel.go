package depgraph

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// sent adds the values that are sent to a channel which was made in one of the functions
// at hand, by that function and the literals in it.
func (s *Slicer) sent(ch ssa.Value, push func(ssa.Value)) {
	seen := make(map[ssa.Value]bool)
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		if v == nil || seen[v] || v.Referrers() == nil {
			return
		}
		seen[v] = true
		for _, use := range *v.Referrers() {
			switch use := use.(type) {
			case *ssa.Send:
				if use.Chan == v {
					push(use.X)
				}
			case *ssa.Select:
				for _, st := range use.States {
					if st.Chan == v && st.Send != nil {
						push(st.Send)
					}
				}
			case *ssa.Store: // to a captured variable
				if use.Val == v {
					visit(use.Addr)
				}
			case *ssa.UnOp:
				if use.Op == token.MUL {
					visit(use)
				}
			case *ssa.ChangeType:
				visit(use)
			case *ssa.MakeClosure:
				for _, fv := range bound(use, v) {
					visit(fv)
				}
			}
		}
	}
	for _, made := range channels(ch) {
		visit(made)
	}
}

// channels returns the instructions that may have made the channel v, as far as they are
// in the functions at hand.
func channels(v ssa.Value) []ssa.Value {
	var out []ssa.Value
	seen := make(map[ssa.Value]bool)
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		if v == nil || seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.MakeChan:
			out = append(out, v)
		case *ssa.ChangeType:
			visit(v.X)
		case *ssa.Phi:
			for _, e := range v.Edges {
				visit(e)
			}
		case *ssa.FreeVar:
			visit(Binding(v))
		case *ssa.UnOp:
			if v.Op == token.MUL {
				visit(v.X)
			}
		case *ssa.Alloc:
			for _, use := range *v.Referrers() {
				if st, ok := use.(*ssa.Store); ok && st.Addr == v {
					visit(st.Val)
				}
			}
		}
	}
	visit(v)
	return out
}
