package ssautil

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Pos returns the position of an instruction, or of the nearest operand or instruction
// before it that has one.
func Pos(instr ssa.Instruction) token.Pos {
	if at := instr.Pos(); at.IsValid() {
		return at
	}
	var buf [8]*ssa.Value
	for _, op := range instr.Operands(buf[:0]) {
		if *op != nil && (*op).Pos().IsValid() {
			if _, ok := (*op).(ssa.Instruction); ok {
				return (*op).Pos()
			}
		}
	}
	at := token.NoPos
	for _, before := range instr.Block().Instrs {
		if before == instr {
			break
		}
		if before.Pos().IsValid() {
			at = before.Pos()
		}
	}
	return at
}

// Ordinal returns the number of an instruction in its function.
func Ordinal(instr ssa.Instruction) int {
	n := 0
	for _, b := range instr.Parent().Blocks[:instr.Block().Index] {
		n += len(b.Instrs)
	}
	return n + slices.Index(instr.Block().Instrs, instr)
}

// Precedes reports whether a is executed before b whenever control comes to b: a dominates b.
func Precedes(a, b ssa.Instruction) bool {
	if a.Block() != b.Block() {
		return a.Block().Dominates(b.Block())
	}
	return slices.Index(a.Block().Instrs, a) < slices.Index(b.Block().Instrs, b)
}

// Recovers reports whether a function defers a function that recovers from panics.
func Recovers(fn *ssa.Function) bool {
	return AnyInstr(fn, func(instr ssa.Instruction) bool {
		d, ok := instr.(*ssa.Defer)
		return ok && d.Call.StaticCallee() != nil && AnyInstr(d.Call.StaticCallee(), isRecover)
	})
}

func isRecover(instr ssa.Instruction) bool {
	c, ok := instr.(*ssa.Call)
	return ok && Builtin(&c.Call) == "recover"
}

// AnyInstr reports whether an instruction of a function is as asked for.
func AnyInstr(fn *ssa.Function, is func(ssa.Instruction) bool) bool {
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool { return slices.ContainsFunc(b.Instrs, is) })
}

// At returns the instruction of a function with the given number, or nil.
func At(fn *ssa.Function, ordinal int) ssa.Instruction {
	if ordinal < 0 {
		return nil
	}
	for _, b := range fn.Blocks {
		if ordinal < len(b.Instrs) {
			return b.Instrs[ordinal]
		}
		ordinal -= len(b.Instrs)
	}
	return nil
}

// Results returns the values of a call's results. Of several results only the used ones
// are returned.
func Results(call *ssa.Call) []ssa.Value {
	if _, ok := call.Type().(*types.Tuple); !ok {
		return []ssa.Value{call}
	}
	var out []ssa.Value
	for _, use := range *call.Referrers() {
		if x, ok := use.(*ssa.Extract); ok {
			out = append(out, x)
		}
	}
	return out
}

// Result returns the value of result i of an instruction, or nil if it is not used.
func Result(v ssa.Value, i int) ssa.Value {
	if _, ok := v.Type().(*types.Tuple); !ok {
		return v
	}
	for _, use := range *v.Referrers() {
		if x, ok := use.(*ssa.Extract); ok && x.Index == i {
			return x
		}
	}
	return nil
}

// CallOf returns the call that v is a result of, and which one it is, or nil.
func CallOf(v ssa.Value) (call *ssa.Call, result int) {
	if x, ok := v.(*ssa.Extract); ok {
		v, result = x.Tuple, x.Index
	}
	call, _ = v.(*ssa.Call)
	return call, result
}

// IsInit reports whether a function is an initializer of its package: a function init, or that which package ssa makes
// to initialize the variables.
func IsInit(fn *ssa.Function) bool {
	return fn.Signature.Recv() == nil && fn.Parent() == nil && (fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#"))
}

// Returns returns the return instructions of a function, without that of its recovery from a panic.
func Returns(fn *ssa.Function) []*ssa.Return {
	var out []*ssa.Return
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && b != fn.Recover {
			out = append(out, r)
		}
	}
	return out
}

// Returned returns the value of result i at a return. In a function with deferred calls
// the result is first stored into a variable, which deferred calls may read. A variable that
// is changed in another way before the return is its own value.
func Returned(r *ssa.Return, i int) ssa.Value {
	l, ok := r.Results[i].(*ssa.UnOp)
	if !ok {
		return r.Results[i]
	}
	if _, isVar := l.X.(*ssa.Alloc); isVar {
		for _, instr := range slices.Backward(r.Block().Instrs) {
			switch instr := instr.(type) {
			case *ssa.Store:
				if instr.Addr == l.X {
					return instr.Val
				}
				if base, ok := instr.Addr.(*ssa.FieldAddr); ok && base.X == l.X {
					return l
				}
			case *ssa.Call:
				return l
			}
		}
	}
	return l
}

// Declaration returns the function that fn, or the literal around it, is declared in: a function, or
// the literal itself in the initializer of a package variable.
func Declaration(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil && fn.Parent().Synthetic == "" {
		fn = fn.Parent()
	}
	return fn
}

// ClosureOf returns the instruction that makes the closure of a literal, or nil if
// there are several.
func ClosureOf(fn *ssa.Function) *ssa.MakeClosure {
	if fn.Referrers() == nil || len(*fn.Referrers()) != 1 {
		return nil
	}
	mc, _ := (*fn.Referrers())[0].(*ssa.MakeClosure)
	return mc
}

// VariableAt returns the local variable at addr, which literals may have captured, or nil.
func VariableAt(addr ssa.Value) *ssa.Alloc {
	for {
		switch v := addr.(type) {
		case *ssa.Alloc:
			return v
		case *ssa.FreeVar:
			mc := ClosureOf(v.Parent())
			i := slices.Index(v.Parent().FreeVars, v)
			if mc == nil || i < 0 || i >= len(mc.Bindings) {
				return nil
			}
			addr = mc.Bindings[i]
		default:
			return nil
		}
	}
}

// Object returns the declaration of a function, for an instance that of the generic function, or nil.
func Object(fn *ssa.Function) *types.Func {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	obj, _ := fn.Object().(*types.Func)
	return obj
}

// ReturnsCallOf reports whether a function always returns what its parameter i returns.
func ReturnsCallOf(fn *ssa.Function, i int) bool {
	returns := Returns(fn)
	return len(returns) > 0 && fn.Signature.Results().Len() == 1 && !slices.ContainsFunc(returns, func(ret *ssa.Return) bool {
		call, ok := Returned(ret, 0).(*ssa.Call)
		return !ok || call.Call.Value != ssa.Value(fn.Params[i])
	})
}

// Receiver returns the receiver of a method call, or nil.
func Receiver(c ssa.CallInstruction) ssa.Value {
	switch fn := c.Common().StaticCallee(); {
	case c.Common().IsInvoke():
		return c.Common().Value
	case fn != nil && fn.Signature.Recv() != nil && len(c.Common().Args) > 0:
		return c.Common().Args[0]
	}
	return nil
}

// Method returns the function or method that a call names, or nil for a function value.
func Method(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	if fn := c.StaticCallee(); fn != nil {
		return Object(fn)
	}
	return nil
}

// IsReceiver reports whether v is the receiver of a call of a known method, and no
// other argument of it.
func IsReceiver(c ssa.CallInstruction, v ssa.Value) bool {
	common := c.Common()
	fn := common.StaticCallee()
	return fn != nil && fn.Signature.Recv() != nil && len(common.Args) > 0 && common.Args[0] == v && !slices.Contains(common.Args[1:], v)
}

// IsMadeHere reports whether v is the address of a variable or an object that its
// function allocates, or of a part of it.
func IsMadeHere(v ssa.Value) bool {
	whole, _ := Whole(v).(*ssa.Alloc)
	return whole != nil
}

// Whole returns the address of the object that an address is a part of: fields, elements of arrays, and
// those of slices that the function makes for the object.
//
//	v := &Vec{shards: make([]shard, n)}
//	for i := range v.shards { v.shards[i].byKey = make(map[string]int) }
func Whole(v ssa.Value) ssa.Value {
	for {
		switch at := v.(type) {
		case *ssa.FieldAddr:
			v = at.X
		case *ssa.IndexAddr:
			field := elements(at.X)
			if field == nil {
				return v
			}
			v = field
		default:
			return v
		}
	}
}

// elements returns the address of the variable that has the elements of x: x itself for an array; for a
// slice that is loaded from a field, the field, if the function stores a slice there that it makes.
func elements(x ssa.Value) ssa.Value {
	if _, isSlice := x.Type().Underlying().(*types.Slice); !isSlice {
		return x
	}
	load, ok := x.(*ssa.UnOp)
	if !ok {
		return nil
	}
	field, ok := load.X.(*ssa.FieldAddr)
	if !ok || field.X.Referrers() == nil {
		return nil
	}
	for _, use := range *field.X.Referrers() {
		same, ok := use.(*ssa.FieldAddr)
		if !ok || same.Field != field.Field {
			continue
		}
		for _, use := range *same.Referrers() {
			if st, ok := use.(*ssa.Store); ok && st.Addr == same && isMadeSlice(st.Val) {
				return field
			}
		}
	}
	return nil
}

// isMadeSlice reports whether a slice is made by the function.
func isMadeSlice(v ssa.Value) bool {
	if part, ok := v.(*ssa.Slice); ok {
		_, ok = part.X.(*ssa.Alloc)
		return ok
	}
	_, ok := v.(*ssa.MakeSlice)
	return ok
}

// SamePointer reports whether a and b are the same pointer, or loads of the same
// variable.
func SamePointer(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	x, ok := a.(*ssa.UnOp)
	y, ok2 := b.(*ssa.UnOp)
	return ok && ok2 && x.Op == token.MUL && y.Op == token.MUL && x.X == y.X
}

// ConstText returns the text of v if it is a constant.
func ConstText(v ssa.Value) (string, bool) {
	c, ok := v.(*ssa.Const)
	if !ok {
		return "", false
	}
	if c.Value == nil {
		return "nil", true
	}
	return c.Value.ExactString(), true
}

// Zero returns the zero value of a type whose values have constants: of a basic type, or one that
// can be nil.
func Zero(t types.Type) *ssa.Const {
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
		return ssa.NewConst(nil, t)
	case b.Info()&types.IsBoolean != 0:
		return ssa.NewConst(constant.MakeBool(false), t)
	case b.Info()&types.IsString != 0:
		return ssa.NewConst(constant.MakeString(""), t)
	case b.Info()&types.IsNumeric != 0:
		return ssa.NewConst(constant.MakeInt64(0), t)
	}
	return ssa.NewConst(nil, t)
}

// IsTrue reports whether v is the constant true.
func IsTrue(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.String() == "true"
}

// Uses returns the instructions that use v: none for a constant, a function or a package variable,
// of which nobody keeps a list.
func Uses(v ssa.Value) []ssa.Instruction {
	if uses := v.Referrers(); uses != nil {
		return *uses
	}
	return nil
}

// IsAppend reports whether v is a list to which elements are appended.
func IsAppend(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	return ok && Builtin(&c.Call) == "append"
}

// Builtin returns the name of the builtin function that is called, "" for other calls.
func Builtin(c *ssa.CallCommon) string {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name()
	}
	return ""
}

// Unboxed returns the value that is converted to an interface, or v itself.
func Unboxed(v ssa.Value) ssa.Value {
	if box, ok := v.(*ssa.MakeInterface); ok {
		return box.X
	}
	return v
}

// AnyResult reports whether a value that a return of fn yields is as asked.
func AnyResult(fn *ssa.Function, asked func(ssa.Value) bool) bool {
	return slices.ContainsFunc(Returns(fn), func(ret *ssa.Return) bool { return slices.ContainsFunc(ret.Results, asked) })
}

// IsConst reports whether v is a constant.
func IsConst(v ssa.Value) bool {
	_, ok := v.(*ssa.Const)
	return ok
}

// IsNil reports whether v is the constant nil.
func IsNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// IsComparedWithNil reports whether v is an operand of a comparison with nil.
func IsComparedWithNil(v ssa.Value) bool {
	return slices.ContainsFunc(Uses(v), func(use ssa.Instruction) bool {
		b, ok := use.(*ssa.BinOp)
		return ok && (b.Op == token.EQL || b.Op == token.NEQ) && (IsNil(b.X) || IsNil(b.Y))
	})
}

// IsNegative reports whether v is a negative constant, or the negative of another value.
func IsNegative(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		return v.Op == token.SUB
	case *ssa.Const:
		return v.Value != nil && v.Value.Kind() == constant.Int && constant.Sign(v.Value) < 0
	}
	return false
}
