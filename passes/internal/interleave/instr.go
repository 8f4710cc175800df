package interleave

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// get returns the value of an operand.
func (f *frame) get(r *run, v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return r.w.zero(v.Type())
		}
		return constantValue(v.Value, v.Type())
	case *ssa.Global:
		return r.global(v)
	case *ssa.Function:
		return closure{fn: v}
	case *ssa.Builtin:
		return literal(v.Name())
	}
	if x, ok := f.env[v]; ok && x != nil {
		return r.w.root(x)
	}
	panic(abort{unmodelled, "a value of " + fmt.Sprintf("%T", v)})
}

// global returns the address of a package variable.
func (r *run) global(g *ssa.Global) value {
	id := g.Name()
	if g.Pkg != nil && g.Pkg.Pkg != r.e.graph.Pkg {
		id = g.Pkg.Pkg.Name() + "." + id
	}
	r.w.named(id, ssautil.Deref(g.Type()), "")
	field, _ := g.Object().(*types.Var)
	return pointer{obj: id, field: field}
}

// pointer returns the pointer that a value is.
func (t *thread) pointer(v value) pointer {
	switch v := unboxed(v).(type) {
	case pointer:
		return v
	case null:
		panic(abort{crashed, "nil dereference"})
	case symbol:
		t.r.w.named(v.name, nil, v.made)
		return pointer{obj: v.name}
	}
	panic(abort{unmodelled, fmt.Sprintf("a pointer that is %T", v)})
}

// exec executes an instruction that has no effect on control.
func (t *thread) exec(f *frame, instr ssa.Instruction) {
	if v, ok := instr.(ssa.Value); ok {
		if x := t.computed(f, v); x != nil {
			f.env[v] = x
			return
		}
	}
	r := t.r
	get := func(v ssa.Value) value { return f.get(r, v) }
	switch instr := instr.(type) {
	case *ssa.DebugRef:
	case *ssa.UnOp:
		t.unOp(f, instr, get(instr.X))
	case *ssa.Store:
		r.at1(instr)
		r.store(t, t.pointer(get(instr.Addr)), instr.Val.Type(), get(instr.Val))
	case *ssa.Lookup:
		t.lookup(f, instr, get(instr.X), get(instr.Index))
	case *ssa.MapUpdate:
		r.at1(instr)
		r.set(t, r.object(t.pointer(get(instr.Map)).obj), get(instr.Key), get(instr.Value), true)
	case *ssa.Range:
		t.rangeOver(f, instr, get(instr.X))
	case *ssa.Next:
		t.nextOf(f, instr, get(instr.Iter))
	case *ssa.Send:
		t.send(get(instr.Chan), get(instr.X), instr)
	case *ssa.Select:
		t.selects(f, instr)
	case *ssa.Go:
		r.effects = append(r.effects, effect{t.id, "go " + calleeName(instr.Common()), t.operands(f, instr.Common())})
	case *ssa.Defer:
		fn, args := t.operandsOf(f, instr.Common())
		f.defers = append(f.defers, pending{instr, fn, args})
	case *ssa.Call:
		fn, args := t.operandsOf(f, instr.Common())
		t.call(f, instr, fn, args, func(result value) { f.env[instr] = result })
	default:
		panic(abort{unmodelled, fmt.Sprintf("%T", instr)})
	}
}

// computed returns what an instruction computes of its operands without a look at memory that another thread
// may change, or nil if it is no such instruction.
func (t *thread) computed(f *frame, v ssa.Value) value {
	r := t.r
	get := func(v ssa.Value) value { return f.get(r, v) }
	switch v := v.(type) {
	case *ssa.Alloc:
		return pointer{obj: r.alloc(t, ssautil.Deref(v.Type()), "new "+typeName(ssautil.Deref(v.Type()))).id}
	case *ssa.MakeMap:
		return pointer{obj: r.alloc(t, v.Type(), "map").id}
	case *ssa.MakeChan:
		return pointer{obj: r.alloc(t, v.Type(), "chan").id}
	case *ssa.MakeSlice:
		return slice{obj: r.alloc(t, v.Type(), "slice").id, n: t.number(get(v.Len))}
	case *ssa.MakeClosure:
		c := closure{fn: v.Fn.(*ssa.Function)}
		for _, b := range v.Bindings {
			c.free = append(c.free, get(b))
		}
		return c
	case *ssa.MakeInterface:
		x := get(v.X)
		if b, ok := x.(boxed); ok {
			x = b.val
		}
		return boxed{v.X.Type(), x}
	case *ssa.FieldAddr:
		p := t.pointer(get(v.X))
		field := fieldOf(ssautil.Deref(v.X.Type()), v.Field)
		return pointer{p.obj, p.path + "." + field.Name(), field}
	case *ssa.Field:
		return t.field(get(v.X), v)
	case *ssa.IndexAddr:
		return t.indexAddr(get(v.X), get(v.Index), v)
	case *ssa.Index:
		return r.apply("index", v.Type(), get(v.X), get(v.Index))
	case *ssa.BinOp:
		return t.binOp(v, get(v.X), get(v.Y))
	case *ssa.ChangeType:
		return get(v.X)
	case *ssa.ChangeInterface:
		return get(v.X)
	case *ssa.Convert:
		return t.convert(v, get(v.X))
	case *ssa.MultiConvert:
		return r.apply(typeName(v.Type()), v.Type(), get(v.X))
	case *ssa.Extract:
		return t.extract(v, get(v.Tuple))
	case *ssa.TypeAssert:
		return t.typeAssert(v, get(v.X))
	case *ssa.Slice:
		return t.slice(f, v, get(v.X))
	}
	return nil
}

// at1 remembers the position of the access that is being made.
func (r *run) at1(instr ssa.Instruction) { r.now = ssautil.Pos(instr) }

func (t *thread) number(v value) number {
	switch v := unboxed(v).(type) {
	case number:
		return v
	case symbol:
		return variable(v.name)
	case literal:
		return variable(string(v))
	}
	panic(abort{unmodelled, fmt.Sprintf("a number that is %T", v)})
}

func (t *thread) field(x value, instr *ssa.Field) value {
	if s, ok := x.(structure); ok {
		if v := s.fields[instr.Field]; v != nil {
			return v
		}
		return null{}
	}
	return t.r.apply("."+fieldOf(instr.X.Type(), instr.Field).Name(), instr.Type(), x)
}

func (t *thread) indexAddr(x, index value, instr *ssa.IndexAddr) value {
	i := t.number(index)
	switch x := x.(type) {
	case slice:
		t.inRange(i, x.n)
		o := t.r.object(x.obj)
		return pointer{obj: x.obj, path: t.r.at(o.nameOf(), "", x.off.plus(i, 1))}
	case pointer:
		if a, ok := ssautil.Deref(instr.X.Type()).Underlying().(*types.Array); ok {
			t.inRange(i, integer(a.Len()))
		}
		return pointer{obj: x.obj, path: t.r.at(t.r.object(x.obj).nameOf()+x.path, x.path, i)}
	case null:
		panic(abort{crashed, "index out of range"})
	}
	panic(abort{unmodelled, fmt.Sprintf("an element of %T", x)})
}

// nameOf names the content of an object.
func (o *object) nameOf() string {
	if o.base != "" {
		return o.base
	}
	return o.id
}

// inRange assumes that an index is in range if that is possible.
func (t *thread) inRange(i, n number) {
	w := t.r.w
	d := w.normal(i.plus(n, -1))
	if d.isConst() {
		if d.c >= 0 {
			panic(abort{crashed, "index out of range"})
		}
		return
	}
	form, sign := d.form()
	op := token.LSS
	if sign < 0 {
		op = ssautil.Mirrored[op]
	}
	in := w.interval(form)
	yes, _ := in.split(op, -d.c*sign)
	if yes == nil {
		panic(abort{crashed, "index out of range"})
	}
	*in = *yes
}

func (t *thread) unOp(f *frame, instr *ssa.UnOp, x value) {
	r := t.r
	switch instr.Op {
	case token.MUL:
		r.at1(instr)
		f.env[instr] = r.load(t, t.pointer(x), instr.Type())
	case token.NOT:
		f.env[instr] = boolean(!t.truth(x))
	case token.SUB:
		if n, ok := x.(number); ok {
			f.env[instr] = n.times(-1)
			return
		}
		f.env[instr] = r.apply("-", instr.Type(), x)
	case token.ARROW:
		v, ok := t.receive(x, instr.X.Type(), instr)
		if t.waits != "" {
			return
		}
		if instr.CommaOk {
			f.env[instr] = tuple{v, boolean(ok)}
		} else {
			f.env[instr] = v
		}
	default:
		f.env[instr] = r.apply(instr.Op.String(), instr.Type(), x)
	}
}

func (t *thread) binOp(instr *ssa.BinOp, a, b value) value {
	w := t.r.w
	x, xn := a.(number)
	y, yn := b.(number)
	numbers := xn && yn
	switch instr.Op {
	case token.EQL:
		return boolean(t.equals(a, b))
	case token.NEQ:
		return boolean(!t.equals(a, b))
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		if numbers {
			return boolean(w.compare(instr.Op, x, y))
		}
		return boolean(t.ordered(instr.Op, a, b))
	case token.ADD:
		if numbers {
			return x.plus(y, 1)
		}
	case token.SUB:
		if numbers {
			return x.plus(y, -1)
		}
	case token.MUL:
		if numbers && w.normal(x).isConst() {
			return y.times(w.normal(x).c)
		}
		if numbers && w.normal(y).isConst() {
			return x.times(w.normal(y).c)
		}
	}
	if numbers {
		if v, ok := fold(instr, w.normal(x), w.normal(y)); ok {
			return v
		}
	}
	if s, ok := a.(literal); ok && instr.Op == token.ADD && string(s) == `""` {
		return b
	}
	if s, ok := b.(literal); ok && instr.Op == token.ADD && string(s) == `""` {
		return a
	}
	return t.r.apply(instr.Op.String(), instr.Type(), a, b)
}

// fold computes an operation on constants.
func fold(instr *ssa.BinOp, x, y number) (value, bool) {
	if !x.isConst() || !y.isConst() {
		return nil, false
	}
	switch instr.Op {
	case token.QUO, token.REM:
		if y.c == 0 || !isInteger(instr.Type()) {
			return nil, false
		}
		op := instr.Op
		if op == token.QUO {
			op = token.QUO_ASSIGN // of integers
		}
		c, _ := constant.Int64Val(constant.BinaryOp(constant.MakeInt64(x.c), op, constant.MakeInt64(y.c)))
		return integer(c), true
	case token.AND, token.OR, token.XOR, token.AND_NOT:
		c, _ := constant.Int64Val(constant.BinaryOp(constant.MakeInt64(x.c), instr.Op, constant.MakeInt64(y.c)))
		return integer(c), true
	case token.SHL, token.SHR:
		if y.c < 0 || y.c > 30 || x.c < 0 || x.c > 1<<30 {
			return nil, false
		}
		c, _ := constant.Int64Val(constant.Shift(constant.MakeInt64(x.c), instr.Op, uint(y.c)))
		return integer(c), true
	}
	return nil, false
}

// equals decides a comparison.
func (t *thread) equals(a, b value) bool {
	_, isSlice := a.(slice)
	if _, other := b.(slice); isSlice || other {
		return false // a slice is compared with nil
	}
	return t.r.w.equal(a, b)
}

// ordered chooses the order of two values of which none is known, consistently.
func (t *thread) ordered(op token.Token, a, b value) bool {
	w := t.r.w
	a, b = w.root(a), w.root(b)
	if a.text() == b.text() {
		return op == token.LEQ || op == token.GEQ
	}
	if x, ok := a.(literal); ok {
		if y, ok := b.(literal); ok {
			return constant.Compare(constant.MakeString(string(x)), op, constant.MakeString(string(y)))
		}
	}
	x, y := a.text(), b.text()
	if x > y {
		x, y, op = y, x, ssautil.Mirrored[op]
	}
	switch w.choose("order of "+x+" and "+y, 3) {
	case 0:
		return op == token.LSS || op == token.LEQ
	case 1:
		return op == token.GTR || op == token.GEQ
	}
	if x != y {
		w.join(a, b)
	}
	return op == token.LEQ || op == token.GEQ
}

func (t *thread) convert(instr *ssa.Convert, x value) value {
	_, isNumber := x.(number)
	if isNumber && ssautil.IsNumber(instr.Type()) {
		return x
	}
	if s, ok := x.(literal); ok && ssautil.IsString(instr.Type()) && ssautil.IsString(instr.X.Type()) {
		return s
	}
	if s, ok := x.(symbol); ok && ssautil.IsString(instr.Type()) && ssautil.IsString(instr.X.Type()) {
		return s
	}
	if s, ok := x.(slice); ok {
		return symbol{name: "string(" + t.content(s) + ")"}
	}
	return t.r.apply(typeName(instr.Type()), instr.Type(), x)
}

func (t *thread) extract(instr *ssa.Extract, x value) value {
	out, ok := x.(tuple)
	if !ok || instr.Index >= len(out) {
		panic(abort{unmodelled, "the results of a call"})
	}
	return out[instr.Index]
}

func (t *thread) lookup(f *frame, instr *ssa.Lookup, x, key value) {
	m, ok := instr.X.Type().Underlying().(*types.Map)
	if !ok {
		f.env[instr] = t.r.apply("index", instr.Type(), x, key)
		return
	}
	t.r.at1(instr)
	var v value
	has := false
	if !isNull(x) {
		v, has = t.r.get(t, t.r.object(t.pointer(x).obj), key)
	}
	if !has {
		v = t.r.w.zero(m.Elem())
	}
	if instr.CommaOk {
		f.env[instr] = tuple{v, boolean(has)}
		return
	}
	f.env[instr] = v
}

func (t *thread) typeAssert(instr *ssa.TypeAssert, x value) value {
	result := func(v value, ok bool) value {
		switch {
		case instr.CommaOk && ok:
			return tuple{v, boolean(true)}
		case instr.CommaOk:
			return tuple{t.r.w.zero(instr.AssertedType), boolean(false)}
		case !ok:
			panic(abort{crashed, "failed type assertion"})
		}
		return v
	}
	switch x := x.(type) {
	case null:
		return result(nil, false)
	case boxed:
		if iface, ok := instr.AssertedType.Underlying().(*types.Interface); ok {
			return result(x, types.Implements(x.typ, iface))
		}
		return result(x.val, types.Identical(x.typ, instr.AssertedType))
	case symbol:
		if types.IsInterface(instr.AssertedType) && types.Identical(instr.AssertedType, instr.X.Type()) {
			return result(x, true)
		}
		is := !instr.CommaOk || t.r.w.choose(x.name+" is "+typeName(instr.AssertedType), 2) == 0
		if !is {
			return result(nil, false)
		}
		if types.IsInterface(instr.AssertedType) {
			return result(x, true)
		}
		return result(t.r.w.unknown(x.name, instr.AssertedType, x.made, false), true)
	}
	if l, ok := x.(literal); ok { // a package variable with an error
		x := symbol{name: string(l)}
		if !types.IsInterface(instr.AssertedType) && (!instr.CommaOk || t.r.w.choose(x.name+" is "+typeName(instr.AssertedType), 2) == 0) {
			return result(t.r.w.unknown(x.name, instr.AssertedType, "", false), true)
		}
		return result(l, types.IsInterface(instr.AssertedType))
	}
	// The value of an interface whose dynamic type was known when it was stored.
	if types.IsInterface(instr.AssertedType) {
		return result(x, true)
	}
	panic(abort{unmodelled, fmt.Sprintf("a type assertion on %T", x)})
}
