package summary

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// An object that works by itself has a goroutine that serves it for all its life: go
// s.run(). It is started by a method that makes no sense twice, and has nothing to go
// by but the object. One that is started for something, go s.handle(conn), has that as
// an argument, and there are as many as there is to do.

// isService reports whether a go statement starts the goroutine of an object.
func isService(s site) bool {
	goes, ok := s.call.instr.(*ssa.Go)
	if !ok {
		return false
	}
	var fn *ssa.Function
	switch v := goes.Call.Value.(type) {
	case *ssa.MakeClosure:
		if len(v.Bindings) != 1 || len(goes.Call.Args) > 0 {
			return false
		}
		fn, _ = v.Fn.(*ssa.Function)
	case *ssa.Function:
		if v.Signature.Recv() == nil || len(goes.Call.Args) != 1 {
			return false
		}
		fn = v
	}
	return fn != nil && waitsInLoop(fn)
}

// waitsInLoop reports whether a function receives from a channel again and again.
func waitsInLoop(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Select:
			case *ssa.UnOp:
				if instr.Op != token.ARROW {
					continue
				}
			default:
				continue
			}
			if Reaches(instr, instr) {
				return true
			}
		}
	}
	return false
}
