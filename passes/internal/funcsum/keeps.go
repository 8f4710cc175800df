package funcsum

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// KeepsPart reports whether no use of the address of a field publishes the object in the
// field: the object is confined to its owner.
func (p *Summaries) KeepsPart(f *Body, addr *ssa.FieldAddr) bool {
	_, isPointer := ssautil.Deref(addr.Type()).Underlying().(*types.Pointer)
	for _, use := range *addr.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr != addr || isPointer && !p.madeFor(f, use) {
				return false
			}
		case *ssa.UnOp:
			if isPointer && !OnlyUsed(use) {
				return false
			}
		case *ssa.FieldAddr, *ssa.DebugRef:
		case ssa.CallInstruction:
			if isPointer || !ssautil.IsReceiver(use, addr) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// madeFor reports whether a store puts into a field an object that was allocated for it and
// has no other reference.
func (p *Summaries) madeFor(f *Body, st *ssa.Store) bool {
	switch v := st.Val.(type) {
	case *ssa.Const:
		return true
	case *ssa.Alloc:
		return f.onlyThere(v, st)
	case *ssa.Call:
		callees := p.Callees(f, &v.Call)
		fresh := len(callees) > 0
		for _, c := range callees {
			s := p.SummaryOf(c)
			fresh = fresh && s != nil && len(s.Results) == 1 && s.Results[0].Fresh
		}
		return fresh && f.onlyThere(v, st)
	}
	return false
}

// onlyThere reports whether an object that st stores in a field is accessed through that
// field only, and stored in no other.
func (f *Body) onlyThere(v ssa.Value, st *ssa.Store) bool {
	if f.Order().Exists(Way{From: st, To: st, Avoid: v.(ssa.Instruction)}) {
		return false // all iterations of a loop store the same object
	}
	return !slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
		return use != st && (f.Paths().Reaches(st, use) || !usesOnly(use, v))
	})
}

// OnlyUsed reports whether all uses of a reference are field accesses, comparisons, stores
// through it and calls of its methods, which do not publish it.
func OnlyUsed(v ssa.Value) bool {
	return !slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool { return !usesOnly(use, v) })
}

// IsReceiver reports whether v is the receiver of call c: see ssautil.IsReceiver.
func IsReceiver(c ssa.CallInstruction, v ssa.Value) bool { return ssautil.IsReceiver(c, v) }

func usesOnly(use ssa.Instruction, v ssa.Value) bool {
	switch use := use.(type) {
	case *ssa.FieldAddr, *ssa.Field, *ssa.DebugRef, *ssa.BinOp:
		return true
	case *ssa.Store:
		return use.Addr == v
	case ssa.CallInstruction:
		return ssautil.IsReceiver(use, v)
	}
	return false
}
