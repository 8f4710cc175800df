package trace

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/summary"
)

// A Field is a field of a struct type, of whatever object, or a package variable.
// The elements of a slice, array or map belong to the field with it.
type Field struct {
	Loc, Name string
	Constant  bool // it is not written, as far as is known, once it is set up
}

// Accesses are the fields that some code reads and writes.
type Accesses struct{ Reads, Writes map[Field]bool }

func newAccesses() Accesses {
	return Accesses{make(map[Field]bool), make(map[Field]bool)}
}

// add unites a with b and reports whether a has changed.
func (a Accesses) add(b Accesses) bool {
	n := len(a.Reads) + len(a.Writes)
	for f := range b.Reads {
		a.Reads[f] = true
	}
	for f := range b.Writes {
		a.Writes[f] = true
	}
	return len(a.Reads)+len(a.Writes) > n
}

// own returns what an instruction of f, with the given steps, accesses itself.
func (t *Traces) own(f *summary.Func, instr ssa.Instruction, steps []summary.Step) Accesses {
	a, ok := t.owns[instr]
	if !ok {
		a = t.find(f, instr, steps)
		t.owns[instr] = a
	}
	return a
}

func (t *Traces) find(f *summary.Func, instr ssa.Instruction, steps []summary.Step) Accesses {
	out := newAccesses()
	load, ok := instr.(*ssa.UnOp)
	if ok && isFunc(load.Type()) {
		return out // code, not data
	}
	for _, s := range steps {
		e := s.Event
		if s.Kind != summary.AccessStep || e.Callee != nil {
			continue
		}
		at := Field{string(e.Loc), e.Loc.Name(), t.pkg.Location(e.Loc).Constant()}
		// What a method of the library does inside of a field is not known.
		inside := e.Op&summary.Content != 0
		if e.Reads() || inside {
			out.Reads[at] = true
		}
		if e.Writes() && !inside {
			out.Writes[at] = true
		}
	}
	if ok && len(steps) == 0 && onTheWay(load) {
		if ref := f.Res.Resolve(load.X); ref.Loc != "" && !ref.Base.Root().IsFresh() {
			out.Reads[Field{string(ref.Loc), ref.Loc.Name(), t.pkg.Location(ref.Loc).Constant()}] = true
		}
	}
	return out
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// onTheWay reports whether a load is of a reference in a field or a package
// variable. Package summary leaves it out if nobody ever writes it.
func onTheWay(load *ssa.UnOp) bool {
	switch load.X.(type) {
	case *ssa.FieldAddr, *ssa.Global:
	default:
		return false
	}
	switch load.Type().Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map:
		return true
	}
	return false
}

// ofLibrary reports whether an instruction calls a function of another package,
// but for those that lock.
func (t *Traces) ofLibrary(instr ssa.Instruction) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	fn := call.Common().StaticCallee()
	if fn == nil || fn.Object() == nil || fn.Object().Pkg() == nil {
		return false
	}
	path := fn.Object().Pkg().Path()
	return path != t.pass.Pkg.Path() && path != "sync" && path != "sync/atomic"
}
