package funcsum

import (
	"go/constant"
	"go/token"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"golang.org/x/tools/go/ssa"
)

// effect classifies a write of f.
func (f *Body) effect(e *Event) fact.Effect {
	switch {
	case e.Op&fact.Delete != 0:
		return fact.Removes
	case e.Callee != nil || len(e.Inputs) == 0:
		return fact.Anything
	case e.Reads() && len(e.Added) == 1:
		return sign(e.Added[0])
	}
	switch in := e.Inputs[0].(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice, *ssa.MakeClosure, *ssa.MakeInterface:
		return fact.Fills
	case *ssa.BinOp:
		switch {
		case !e.Delta():
		case in.Op == token.ADD && len(e.Added) == 1:
			return sign(e.Added[0])
		case in.Op == token.SUB && sign(in.Y) == fact.Raises:
			return fact.Lowers
		}
	case *ssa.Call:
		if b, ok := in.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" && len(e.Added) > 0 {
			return fact.Raises
		}
	}
	return fact.Anything
}

// sign classifies the addition of v.
func sign(v ssa.Value) fact.Effect {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil || v.Value.Kind() != constant.Int {
			return fact.Anything
		}
		switch constant.Sign(v.Value) {
		case 1:
			return fact.Raises
		case -1:
			return fact.Lowers
		}
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && (b.Name() == "len" || b.Name() == "cap") {
			return fact.Raises // lengths are not negative
		}
	}
	return fact.Anything
}

// Writer returns e as a writer of its location, without the guards.
func (f *Body) Writer(e *Event) fact.Writer {
	return fact.Writer{
		Func: callgraph.Name(f.Fn), Pos: e.Pos,
		Part: e.Key != "" && e.Op&fact.Content == 0, Effect: f.effect(e), Const: e.Const,
		Fn: f.ID,
	}
}
