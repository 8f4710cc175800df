package accesspath

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// Two keys are equal if they are computed alike from equal operands (value numbering, Alpern,
// Wegman, Zadeck, Detecting equality of variables in programs, POPL 1988). A computed value
// is named by its first operand that has a path, and by the operation with the others:
//
//	m[hash(name)%8]     // in two functions that are given the same name
//	m[key{host, port}]  // a struct key, field by field
//	m[string(b)]        // a conversion is the operand itself
//
// The name is only for keys: a computed value is no object.

// SetDeterministic sets the function that tells whether the results of a call are determined
// by its arguments. Without it no call is.
func (r *Resolver) SetDeterministic(is func(*ssa.Call) bool) { r.deterministic = is }

// Key returns the key under which v selects an element.
func (r *Resolver) Key(v ssa.Value) Key {
	v = withoutConversions(v)
	if c, ok := v.(*ssa.Const); ok {
		if c.Value == nil {
			return ConstKey("nil")
		}
		return ConstKey(c.Value.ExactString())
	}
	if p := r.computed(v); p != Unknown {
		return PathKey(p)
	}
	return r.Stored(PathKey(r.Resolve(v).Path))
}

// withoutConversions returns the operand of conversions and copies that keep the value, as far
// as equal results mean equal operands for a key.
func withoutConversions(v ssa.Value) ssa.Value { return operand(v, true) }

// operand is withoutConversions, with or without copies that functions of the package make.
func operand(v ssa.Value, made bool) ssa.Value {
	for range limit.FuncValueSteps {
		switch c := v.(type) {
		case *ssa.MakeInterface:
			v = c.X
		case *ssa.ChangeType:
			v = c.X
		case *ssa.Convert:
			if !isText(c.Type()) || !isText(c.X.Type()) {
				return v
			}
			v = c.X
		case *ssa.UnOp:
			made, ok := c.X.(*ssa.Alloc)
			if !ok || c.Op != token.MUL {
				return v
			}
			of := copied(made)
			if of == nil {
				return v
			}
			v = of // a variable that keeps its first value
		case *ssa.Call:
			of := copiedByCall(c, made)
			if of == nil {
				return v
			}
			v = of
		default:
			return v
		}
	}
	return v
}

// copiedByCall returns the argument that a call returns, or returns a copy of, or nil. That is
// known of functions of the library and, if made is set, of functions of one block:
//
//	func (l label) clone() label { return label{strings.Clone(l.name), strings.Clone(l.value)} }
func copiedByCall(c *ssa.Call, made bool) ssa.Value {
	fn := ssautil.Target(&c.Call)
	if fn == nil {
		return nil
	}
	if obj, ok := fn.Object().(*types.Func); ok && stdlib.OfFunc(obj).Copies {
		return c.Call.Args[0]
	}
	if !made || len(fn.Blocks) != 1 || fn.Signature.Results().Len() != 1 {
		return nil
	}
	ret, ok := fn.Blocks[0].Instrs[len(fn.Blocks[0].Instrs)-1].(*ssa.Return)
	if !ok {
		return nil
	}
	of := operand(ret.Results[0], false)
	if load, ok := of.(*ssa.UnOp); ok && load.Op == token.MUL {
		if alloc, ok := load.X.(*ssa.Alloc); ok {
			of = copiedByField(alloc, parts(alloc, nil), false)
		}
	}
	for i, prm := range fn.Params {
		if of == prm && types.Identical(prm.Type(), c.Type()) {
			return c.Call.Args[i]
		}
	}
	return nil
}

// isText reports whether t is a type of strings or of slices of bytes.
func isText(t types.Type) bool { return ssautil.IsString(t) || ssautil.IsBytes(t) }

// computed returns the path that names v by its operands, or Unknown.
func (r *Resolver) computed(v ssa.Value) Path {
	if p, ok := r.computedMemo[v]; ok {
		return p
	}
	if r.computedMemo == nil {
		r.computedMemo = make(map[ssa.Value]Path)
	}
	r.computedMemo[v] = Unknown // ends the recursion of a cyclic value
	p := r.compute(v)
	r.computedMemo[v] = p
	return p
}

func (r *Resolver) compute(v ssa.Value) Path {
	switch v := v.(type) {
	case *ssa.Call:
		return r.call(v, 0)
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok {
			return r.call(c, v.Index)
		}
	case *ssa.Convert:
		if ssautil.IsPlain(v.Type()) && ssautil.IsPlain(v.X.Type()) {
			return r.apply(v.Type().String(), v.X)
		}
	case *ssa.BinOp:
		if ssautil.IsPlain(v.Type()) && !ssautil.IsString(v.Type()) {
			return r.apply(v.Op.String(), v.X, v.Y)
		}
	case *ssa.UnOp:
		if made, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL && ssautil.IsPlain(v.Type()) {
			return r.composite(made)
		}
	}
	return Unknown
}

// call names result i of a call whose results are determined by its arguments.
func (r *Resolver) call(c *ssa.Call, i int) Path {
	if r.deterministic == nil || !ssautil.IsPlain(c.Type()) && c.Call.Signature().Results().Len() == 1 || !r.deterministic(c) {
		return Unknown
	}
	var name string
	args := c.Call.Args
	if c.Call.IsInvoke() {
		name, args = "."+c.Call.Method.Name(), append([]ssa.Value{c.Call.Value}, args...)
	} else if fn := ssautil.Target(&c.Call); fn != nil {
		name = fn.String()
	} else {
		return Unknown
	}
	if i > 0 {
		name += "#" + strconv.Itoa(i)
	}
	return r.apply(name, spread(args)...)
}

// spread replaces a list of variadic arguments by its elements.
func spread(args []ssa.Value) []ssa.Value {
	if len(args) == 0 {
		return nil
	}
	last := len(args) - 1
	array := ssautil.Variadic(args[last])
	if array == nil {
		return args
	}
	elems := parts(array, args[last].(*ssa.Slice))
	if elems == nil {
		return args
	}
	return append(args[:last:last], elems...)
}

// composite names a struct or array that the function puts together, and does not change.
func (r *Resolver) composite(made *ssa.Alloc) Path {
	elems := parts(made, nil)
	if elems == nil {
		return Unknown
	}
	if of := copiedByField(made, elems, true); of != nil {
		return r.Key(of).Path()
	}
	return r.apply(ssautil.Deref(made.Type()).String(), elems...)
}

// copiedByField returns the struct that a new struct is a copy of, field by field, or nil:
//
//	label{name: strings.Clone(l.name), value: strings.Clone(l.value)}
//
// If calls is set, functions of the package may have made the copies.
func copiedByField(made *ssa.Alloc, elems []ssa.Value, calls bool) ssa.Value {
	var of ssa.Value
	for i, v := range elems {
		if v == nil {
			return nil
		}
		var from ssa.Value
		switch v := operand(v, calls).(type) {
		case *ssa.Field:
			if v.Field == i {
				from = v.X
			}
		case *ssa.UnOp:
			if addr, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL && addr.Field == i {
				from = addr.X
			}
		}
		if from == nil || of != nil && from != of || !types.Identical(ssautil.Deref(from.Type()), ssautil.Deref(made.Type())) {
			return nil
		}
		of = from
	}
	if v, ok := of.(*ssa.Alloc); ok {
		return copied(v)
	}
	return of
}

// parts returns the values that are stored in the fields or elements of a new struct or
// array, nil for zero ones. It returns nil if one of them is stored twice, or something else
// than the given slice may write them.
func parts(made *ssa.Alloc, slice *ssa.Slice) []ssa.Value {
	var n int64
	switch t := ssautil.Deref(made.Type()).Underlying().(type) {
	case *types.Struct:
		n = int64(t.NumFields())
	case *types.Array:
		n = t.Len()
	}
	if n == 0 || n > limit.Selectors {
		return nil
	}
	out := make([]ssa.Value, n)
	for _, use := range *made.Referrers() {
		var i int64
		switch use := use.(type) {
		case *ssa.FieldAddr:
			i = int64(use.Field)
		case *ssa.IndexAddr:
			c, ok := use.Index.(*ssa.Const)
			if !ok {
				return nil
			}
			i = c.Int64()
		case *ssa.UnOp, *ssa.DebugRef:
			continue
		default:
			if use == ssa.Instruction(slice) && slice != nil {
				continue
			}
			return nil
		}
		val, ok := onlyStore(use.(ssa.Value))
		if !ok || i < 0 || i >= n || val != nil && out[i] != nil {
			return nil
		}
		if val != nil {
			out[i] = val
		}
	}
	return out
}

// onlyStore returns the value that is stored at an address, nil if it is only loaded from,
// and false if it is used otherwise.
func onlyStore(addr ssa.Value) (val ssa.Value, ok bool) {
	for _, use := range *addr.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr != addr || val != nil {
				return nil, false
			}
			val = use.Val
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return nil, false
		}
	}
	return val, true
}

// apply names the result of an operation.
func (r *Resolver) apply(op string, operands ...ssa.Value) Path {
	keys := make([]Key, len(operands))
	first := -1
	for i, v := range operands {
		if v == nil {
			keys[i] = ConstKey("zero")
			continue
		}
		if keys[i] = r.Key(v); keys[i].HasAny() || keys[i].IsNested() {
			return Unknown
		}
		if first < 0 && !keys[i].isConst() {
			first = i
		}
	}
	if first < 0 {
		return Unknown
	}
	p := Path(keys[first]).Field(followedBy + strconv.Itoa(first) + ":" + operationName.Replace(op))
	for i, k := range keys {
		if i != first {
			p = p.Index(k)
		}
	}
	return p
}

// operationName keeps the characters that delimit selectors out of the name of an operation.
var operationName = strings.NewReplacer(".", ":", "[", "(", "]", ")", ";", ",", "=", ":")

// original returns the variable that the struct v is an unchanged copy of, or v.
func original(v *ssa.Alloc) *ssa.Alloc {
	for range limit.FuncValueSteps {
		load, ok := copied(v).(*ssa.UnOp)
		if !ok {
			break
		}
		from, ok := load.X.(*ssa.Alloc)
		if !ok {
			break
		}
		v = from
	}
	return v
}
