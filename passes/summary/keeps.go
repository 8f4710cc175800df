package summary

import (
	"go/types"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"golang.org/x/tools/go/ssa"
)

// keepsPart reports whether a use of a field gives its object to nobody.
func (p *SumPackage) keepsPart(f *SumFunc, addr *ssa.FieldAddr) bool {
	_, isPointer := ssautil.Deref(addr.Type()).Underlying().(*types.Pointer)
	for _, use := range *addr.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr != addr || isPointer && !p.madeFor(f, use) {
				return false
			}
		case *ssa.UnOp:
			if isPointer && !onlyUsed(use) {
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

// madeFor reports whether a store puts an object into a field that was made for
// it, and that nobody else gets.
func (p *SumPackage) madeFor(f *SumFunc, st *ssa.Store) bool {
	switch v := st.Val.(type) {
	case *ssa.Const:
		return true
	case *ssa.Alloc:
		return f.onlyThere(v, st)
	case *ssa.Call:
		callees := p.callees(f, &v.Call)
		fresh := len(callees) > 0
		for _, c := range callees {
			s := p.summaryOf(c)
			fresh = fresh && s != nil && len(s.Results) == 1 && s.Results[0].Fresh
		}
		return fresh && f.onlyThere(v, st)
	}
	return false
}

// onlyThere reports whether an object, once st has put it into a field, is used
// through that only, and in one field only.
func (f *SumFunc) onlyThere(v ssa.Value, st *ssa.Store) bool {
	if f.Order().Exists(Way{From: st, To: st, Avoid: v.(ssa.Instruction)}) {
		return false // one object for all rounds of a loop
	}
	return !slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		return use != st && (f.Paths().Reaches(st, use) || !usesOnly(use, v))
	})
}

// onlyUsed reports whether an object is only looked into, compared, and asked by
// its methods.
func onlyUsed(v ssa.Value) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool { return !usesOnly(use, v) })
}

// IsReceiver is ssautil.IsReceiver.
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
