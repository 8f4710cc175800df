package summary

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// effect returns the effect of a write of f.
func (f *SumFunc) effect(e *Event) Effect {
	switch {
	case e.Op&Delete != 0:
		return Removes
	case e.Callee != nil || len(e.Inputs) == 0:
		return Anything
	case e.Reads() && len(e.Added) == 1:
		return sign(e.Added[0])
	}
	switch in := e.Inputs[0].(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice, *ssa.MakeClosure, *ssa.MakeInterface:
		return Fills
	case *ssa.BinOp:
		switch {
		case !e.Delta():
		case in.Op == token.ADD && len(e.Added) == 1:
			return sign(e.Added[0])
		case in.Op == token.SUB && sign(in.Y) == Raises:
			return Lowers
		}
	case *ssa.Call:
		if b, ok := in.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" && len(e.Added) > 0 {
			return Raises
		}
	}
	return Anything
}

// sign returns the effect of adding v.
func sign(v ssa.Value) Effect {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil || v.Value.Kind() != constant.Int {
			return Anything
		}
		switch constant.Sign(v.Value) {
		case 1:
			return Raises
		case -1:
			return Lowers
		}
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && (b.Name() == "len" || b.Name() == "cap") {
			return Raises // or leaves it as it is
		}
	}
	return Anything
}

// writer returns what is known of f as the writer of e, but for the locks.
func (f *SumFunc) writer(e *Event) Writer {
	return Writer{
		Func: Name(f.Fn), Pos: e.Pos,
		Part: e.Key != "" && e.Op&Content == 0, Effect: f.effect(e), Const: e.Const,
		fn: f.id,
	}
}
