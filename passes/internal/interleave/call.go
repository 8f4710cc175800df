package interleave

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// operandsOf evaluates what is called and the arguments.
func (t *thread) operandsOf(f *frame, c *ssa.CallCommon) (fn value, args []value) {
	if ssautil.Builtin(c) == "" {
		fn = f.get(t.r, c.Value)
	}
	return fn, t.operands(f, c)
}

func (t *thread) operands(f *frame, c *ssa.CallCommon) []value {
	args := make([]value, len(c.Args))
	for i, a := range c.Args {
		args[i] = f.get(t.r, a)
	}
	return args
}

func calleeName(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.FullName()
	}
	if fn := c.StaticCallee(); fn != nil {
		return origin(fn).String()
	}
	return c.Value.Name()
}

// A target is what a call calls.
type target struct {
	fn   *ssa.Function // nil if it has no body here
	obj  *types.Func   // nil for a literal
	free []value
	args []value // the receiver first
	name string
	sig  *types.Signature
	// pure says that a function without a body has no effect, by its summary.
	pure bool
}

// call calls a function, and reports whether it did not have to wait. The result is handed to
// leave, when the call returns.
func (t *thread) call(f *frame, instr ssa.CallInstruction, fn value, args []value, leave func(value)) bool {
	c := instr.Common()
	t.r.at1(instr)
	if b, ok := c.Value.(*ssa.Builtin); ok {
		v := t.builtin(b.Name(), c, args, instr)
		if v != nil {
			leave(v)
		}
		return true
	}
	to := t.target(c, fn, args)
	if t.primitive(f, to, instr, leave) {
		return t.waits == ""
	}
	if to.fn != nil {
		t.enter(to.fn, to.args, to.free, leave)
		return true
	}
	if v := t.foreign(to, instr); v != nil {
		leave(v)
	}
	return true
}

// target resolves a call.
func (t *thread) target(c *ssa.CallCommon, fn value, args []value) target {
	to := target{args: args, sig: c.Signature(), name: calleeName(c)}
	switch {
	case c.IsInvoke():
		to.obj = c.Method
		t.dispatch(c, fn, &to)
	default:
		static := c.StaticCallee()
		if cl, ok := unboxed(fn).(closure); ok {
			static, to.free = cl.fn, cl.free
		}
		if static == nil {
			if isNull(fn) {
				panic(abort{crashed, "call of a nil function"})
			}
			to.name = t.r.w.root(fn).text()
			break
		}
		to.fn = static
	}
	if to.fn != nil {
		t.r.e.resolve(&to)
	}
	return to
}

// resolve sets the function that is executed, nil if there is no body.
func (e *Engine) resolve(to *target) {
	fn := origin(to.fn)
	to.name = fn.String()
	if obj, ok := fn.Object().(*types.Func); ok {
		to.obj = obj.Origin()
	}
	to.fn = fn
	if len(fn.Blocks) == 0 {
		to.fn = nil
		if to.obj != nil {
			to.pure = true
			if s := e.graph.Foreign.Function(to.obj); s != nil && (s.Mutates != 0 || len(s.Accesses) > 0 || len(s.Calls) > 0) {
				to.pure = false
			}
		}
	}
}

// dispatch finds the method that an interface call runs, if the dynamic type is known or there is
// one implementation.
func (t *thread) dispatch(c *ssa.CallCommon, recv value, to *target) {
	var typ types.Type
	v := recv
	switch x := recv.(type) {
	case null:
		panic(abort{crashed, "call of a method of nil"})
	case boxed:
		typ, v = x.typ, x.val
	case symbol:
		if cs := t.r.e.graph.Resolve(nil, c); len(cs) == 1 && cs[0].Fn != nil {
			typ = cs[0].Fn.Fn.Signature.Recv().Type()
			v = t.r.w.unknown(x.name, typ, x.made, false)
		}
	}
	to.args = append([]value{v}, to.args...)
	if typ == nil || types.IsInterface(typ) {
		return
	}
	if obj, _, _ := types.LookupFieldOrMethod(typ, true, c.Method.Pkg(), c.Method.Name()); obj != nil && obj.Pkg() == t.r.e.graph.Pkg {
		to.fn = t.r.e.prog.LookupMethod(typ, c.Method.Pkg(), c.Method.Name())
	}
}

// builtin calls a built-in function. The result is nil if there is none.
func (t *thread) builtin(name string, c *ssa.CallCommon, args []value, instr ssa.Instruction) value {
	r := t.r
	switch name {
	case "len", "cap":
		return t.lenOf(name, c, args[0])
	case "append":
		return t.append(args[0], args[1], c.Args[0].Type())
	case "copy":
		return t.copy(args[0], args[1])
	case "delete":
		if !isNull(args[0]) {
			r.set(t, r.object(t.pointer(args[0]).obj), args[1], nil, false)
		}
		return nil
	case "clear":
		if p, ok := args[0].(pointer); ok {
			r.clearMap(t, r.object(p.obj))
			return nil
		}
	case "close":
		t.closes(args[0])
		return nil
	case "min", "max":
		best := args[0]
		for _, a := range args[1:] {
			x, ok := best.(number)
			y, ok2 := a.(number)
			if !ok || !ok2 {
				return r.apply(name, c.Args[0].Type(), args...)
			}
			if r.w.compare(less, x, y) != (name == "min") {
				best = a
			}
		}
		return best
	case "print", "println":
		return nil
	case "recover":
		return null{} // panics end a run
	case "StringData", "String", "SliceData", "Slice", "real", "imag", "complex":
		return r.apply(name, c.Signature().Results().At(0).Type(), args...)
	case "ssa:wrapnilchk":
		if isNull(args[0]) {
			panic(abort{crashed, "nil dereference"})
		}
		return args[0]
	}
	panic(abort{unmodelled, name})
}

func (t *thread) lenOf(name string, c *ssa.CallCommon, x value) value {
	switch x := x.(type) {
	case null:
		return integer(0)
	case slice:
		if name == "cap" {
			return t.r.apply("cap", types.Typ[types.Int], x)
		}
		return t.r.w.normal(x.n)
	case pointer:
		switch u := ssautil.Deref(c.Args[0].Type()).Underlying().(type) {
		case *types.Map:
			return t.r.length(t, t.r.object(x.obj))
		case *types.Array:
			return integer(u.Len())
		case *types.Chan:
			return t.r.w.unknown(t.fresh("len of a channel"), types.Typ[types.Uint], "", false)
		}
	case literal:
		if s := string(x); strings.HasPrefix(s, `"`) && !strings.Contains(s, `\`) {
			return integer(int64(len(s) - 2))
		}
	}
	name = name + "(" + t.r.w.root(x).text() + ")"
	t.r.w.atLeast(name, 0)
	return variable(name)
}

// textOf names an argument by its content, so that calls of the same function with objects that
// look the same have the same result. A run that needs a very long name ends: the result of a call
// is named by its arguments, so that names would double with each call.
func (t *thread) textOf(v value, depth int) string {
	name := t.describe(v, depth)
	if len(name) > limit.RunText {
		panic(abort{unmodelled, "a value of many parts"})
	}
	return name
}

func (t *thread) describe(v value, depth int) string {
	switch v := t.r.w.root(unboxed(v)).(type) {
	case nil:
		return "_"
	case pointer:
		o := t.r.object(v.obj)
		if o.isShared() || depth == 0 || o.base != "" && !o.isWritten() {
			return "&" + o.nameOf() + v.path
		}
		var b strings.Builder
		b.WriteString("&" + o.base + "{")
		paths := slices.Sorted(slices.Values(o.paths))
		for _, p := range paths {
			if o.base != "" && !o.cells[p].written {
				continue
			}
			b.WriteString(p + ":" + t.textOf(o.cells[p].val, depth-1) + " ")
		}
		for _, e := range o.entries {
			if e.present {
				b.WriteString(e.key.text() + ":" + t.textOf(e.val, depth-1) + " ")
			}
		}
		return b.String() + "}" + v.path
	case slice:
		return t.content(v)
	case structure:
		return "{" + t.textsOf(v.fields, depth) + "}"
	case tuple:
		return "(" + t.textsOf(v, depth) + ")"
	case number:
		return t.r.w.normal(v).text()
	case symbol:
		if v.made != "" {
			return v.made
		}
		return v.name
	default:
		return v.text()
	}
}

func (t *thread) textsOf(list []value, depth int) string {
	var out []string
	for _, v := range list {
		out = append(out, t.textOf(v, depth))
	}
	return strings.Join(out, ", ")
}

const textDepth = 3

// clock is the text of the present time. It is one for all calls, so that what depends on how much
// the passing of time is recognised by its name.
const clock = "time.Now()"

// foreign calls a function without a body. The result is nil if there is none.
func (t *thread) foreign(to target, instr ssa.CallInstruction) value {
	if stdlib.OfFunc(to.obj).Clock {
		return literal(clock)
	}
	if to.name == "errors.New" || to.name == "fmt.Errorf" {
		return symbol{name: to.name + "(" + t.textsOf(to.args, textDepth) + ")"}
	}
	if stdlib.OfFunc(to.obj).Runs == stdlib.Spawns {
		t.r.effects = append(t.r.effects, effect{t.id, "go by " + to.name, to.args})
		if res := to.sig.Results(); res.Len() == 1 {
			return t.r.w.unknown(t.fresh(to.name), res.At(0).Type(), to.name, false)
		}
		return nil
	}
	for _, a := range to.args {
		if cl, ok := unboxed(a).(closure); ok && hasEffects(cl.fn) {
			panic(abort{unmodelled, "a function that " + to.name + " may call"})
		}
	}
	results := to.sig.Results()
	text := isText(to)
	if !text {
		t.note(to)
		if (results.Len() == 0 || onlyErrors(results)) && !t.isLocal(to.args) {
			t.r.effects = append(t.r.effects, effect{t.id, to.name, to.args})
		}
	}
	name := to.name + "(" + t.textsOf(to.args, textDepth) + ")"
	if len(to.args) == 0 {
		name = t.fresh(name)
	}
	if to.name == "time.Since" || to.name == "time.Until" {
		name += clock
	}
	if !text {
		t.fill(to, name)
	}
	return t.results(to, name)
}

// isLocal reports whether a call is on an object that the run has made, or given one to fill: it is
// part of a computation.
func (t *thread) isLocal(args []value) bool {
	for _, a := range args {
		switch a := t.r.w.root(unboxed(a)).(type) {
		case pointer:
			if !t.r.object(a.obj).isShared() {
				return true
			}
		case symbol:
			if a.made != "" {
				return true
			}
		}
	}
	return false
}

// isWritten reports whether the run has written the object.
func (o *object) isWritten() bool {
	for _, c := range o.cells {
		if c.written {
			return true
		}
	}
	return len(o.entries) > 0
}

// note remembers a call by the shared object that it is made on.
func (t *thread) note(to target) {
	if len(to.args) == 0 || to.sig.Recv() == nil && (to.obj == nil || to.obj.Signature().Recv() == nil) {
		return
	}
	recv := ""
	switch x := t.r.w.root(unboxed(to.args[0])).(type) {
	case pointer:
		if o := t.r.object(x.obj); o.isShared() {
			recv = x.obj + x.path
		}
	case symbol:
		if x.made == "" {
			recv = x.name
		}
	}
	if recv != "" {
		res := to.sig.Results()
		t.r.foreign = append(t.r.foreign, foreignCall{t.id, to.name, recv, res.Len() > 0 && !onlyErrors(res), to.pure})
	}
}

// conflicts reports whether a unit may see, in the result of a function without a body, what the
// other has done by such a function.
func (r *run) conflicts() bool {
	for _, a := range r.foreign {
		for _, b := range r.foreign {
			if a.thread != b.thread && a.recv == b.recv && (a.reads || b.reads) && !(a.pure && b.pure) && a.name != b.name {
				return true
			}
		}
	}
	return false
}

func onlyErrors(results *types.Tuple) bool {
	for v := range results.Variables() {
		if !ssautil.IsError(v.Type()) {
			return false
		}
	}
	return true
}

// hasEffects reports whether a literal does anything but compute a result.
func hasEffects(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Store:
				if _, ok := instr.Addr.(*ssa.Alloc); !ok {
					return true
				}
			case *ssa.MapUpdate, *ssa.Send, *ssa.Go, *ssa.Defer, *ssa.Select:
				return true
			case *ssa.Call:
				if ssautil.Builtin(&instr.Call) == "" {
					return true
				}
			}
		}
	}
	return false
}

// isText reports whether a function formats, compares or logs text.
func isText(to target) bool {
	if to.obj == nil || to.obj.Pkg() == nil {
		return false
	}
	switch to.obj.Pkg().Path() {
	case "fmt":
		return !strings.Contains(to.obj.Name(), "can")
	case "errors":
		return to.obj.Name() != "As"
	case "log", "log/slog", "strings", "strconv", "unicode", "unicode/utf8":
		return true
	}
	// A logger.
	return to.sig.Results().Len() == 0 && to.sig.Variadic() && isAny(to.sig.Params().At(to.sig.Params().Len()-1).Type())
}

func isAny(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	i, ok := s.Elem().Underlying().(*types.Interface)
	return ok && i.Empty()
}

// fill makes the content of new objects unknown that a function without a body may write.
func (t *thread) fill(to target, name string) {
	for i, a := range to.args {
		p, ok := unboxed(a).(pointer)
		if !ok {
			continue
		}
		if o := t.r.object(p.obj); !o.isShared() {
			o.base = fmt.Sprintf("%s/%d", name, i)
			o.cells, o.paths, o.entries = make(map[string]*cell), nil, nil
		}
	}
}

// results makes the results of a call: of scalars the same for the same arguments, and objects
// that are new. Where an error is returned the other results are zero.
func (t *thread) results(to target, name string) value {
	res := to.sig.Results()
	n := res.Len()
	if n == 0 {
		return nil
	}
	out := make(tuple, n)
	failed := false
	if last := res.At(n - 1).Type(); ssautil.IsError(last) {
		out[n-1] = t.r.w.unknown(name+" error", last, "", true)
		failed = !isNull(out[n-1])
		n--
	}
	for i := range n {
		typ := res.At(i).Type()
		switch {
		case failed:
			out[i] = t.r.w.zero(typ)
		case ssautil.IsReference(typ) && !ssautil.IsError(typ):
			made := t.fresh(to.name)
			mayBeNil := n == len(out) // there is no error to tell it
			if mayBeNil && t.r.w.choose(name+" is nil", 2) == 1 {
				out[i] = null{}
				break
			}
			out[i] = t.r.w.unknown(made, typ, name, false)
		default:
			out[i] = t.r.w.unknown(fmt.Sprintf("%s#%d", name, i), typ, "", true)
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	return out
}
