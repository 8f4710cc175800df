package interleave

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// primitive executes an operation of package sync or sync/atomic, or of a lock whose code is not
// known, and reports whether the call is one.
func (t *thread) primitive(f *frame, to target, instr ssa.CallInstruction, leave func(value)) bool {
	if to.obj == nil || to.fn != nil {
		return false
	}
	done := func(v value) {
		if t.waits == "" && v != nil {
			leave(v)
		}
	}
	if op, ok := atomicOfObject(to.obj); ok && len(to.args) > 0 {
		done(t.atomic(op, to))
		return true
	}
	if t.lockOperation(to, done) {
		return true
	}
	recv := to.obj.Signature().Recv()
	if recv == nil || to.obj.Pkg() == nil || to.obj.Pkg().Path() != "sync" {
		if to.obj.Pkg() != nil && to.obj.Pkg().Path() == "sync" && to.obj.Name() != "NewCond" {
			panic(abort{unmodelled, to.name})
		}
		return false
	}
	switch named := ssautil.Named(recv.Type()); named.Obj().Name() {
	case "Map":
		done(t.syncMap(to))
	case "Once":
		t.once(to, leave)
	case "WaitGroup":
		t.group(to)
	case "Cond":
		if to.obj.Name() == "Wait" {
			panic(abort{unmodelled, to.name})
		}
	case "Pool":
		if to.obj.Name() == "Get" {
			return false
		}
	default:
		panic(abort{unmodelled, to.name})
	}
	return true
}

// lockOperation executes a method of a lock.
func (t *thread) lockOperation(to target, done func(value)) bool {
	m, ok := stdlib.OfMethod(to.obj.Name())
	recv := to.obj.Signature().Recv()
	if !ok || recv == nil || len(to.args) == 0 {
		return false
	}
	if pair, _, _ := types.LookupFieldOrMethod(recv.Type(), true, to.obj.Pkg(), m.Pair); pair == nil {
		return false
	}
	if len(to.args) > 1 {
		panic(abort{unmodelled, "a lock with a key"})
	}
	name := ""
	switch x := unboxed(to.args[0]).(type) {
	case pointer:
		name = x.obj + x.path
	case symbol:
		name = x.name
	default:
		panic(abort{unmodelled, "a lock"})
	}
	switch {
	case !m.Acquires:
		t.r.release(t, name, m.Shared)
	case m.Tries:
		ok := t.r.canTake(t, name, m.Shared)
		if ok {
			t.r.take(t, name, m.Shared)
		}
		done(boolean(ok))
		return true
	case t.r.canTake(t, name, m.Shared):
		t.r.take(t, name, m.Shared)
	default:
		t.waits = name
		return true
	}
	if res := to.sig.Results(); res.Len() > 0 {
		done(t.r.w.zero(res.At(0).Type()))
	}
	return true
}

func (r *run) lock(name string) *lock {
	l := r.locks[name]
	if l == nil {
		l = &lock{writer: -1}
		r.locks[name] = l
	}
	return l
}

// canTake reports whether a thread need not wait for a lock.
func (r *run) canTake(t *thread, name string, shared bool) bool {
	l := r.lock(name)
	if l.writer == t.id || !shared && l.readers[t.id] > 0 {
		panic(abort{infeasible, "a unit waits for itself"})
	}
	return l.writer < 0 && (shared || l.readers[1-t.id] == 0)
}

func (r *run) take(t *thread, name string, shared bool) {
	if l := r.lock(name); shared {
		l.readers[t.id]++
	} else {
		l.writer = t.id
	}
}

func (r *run) release(t *thread, name string, shared bool) {
	l := r.lock(name)
	if shared && l.readers[t.id] > 0 {
		l.readers[t.id]--
	} else if l.writer == t.id {
		l.writer = -1
	}
	t.boundary = true
	r.record(t, Released, name, nil)
}

// atomic executes an atomic operation. The result is nil if there is none.
func (t *thread) atomic(op string, to target) value {
	r := t.r
	p := t.pointer(to.args[0])
	if to.obj.Signature().Recv() != nil {
		p.path += ".v"
	}
	typ := operandType(op, to.sig)
	t.boundary = true
	switch op {
	case "Load":
		return r.load(t, p, typ)
	case "Store":
		r.store(t, p, typ, to.args[1])
		return nil
	case "Swap":
		old := r.load(t, p, typ)
		r.store(t, p, typ, to.args[1])
		return old
	case "Add":
		sum := t.number(r.load(t, p, typ)).plus(t.number(to.args[1]), 1)
		r.store(t, p, typ, sum)
		return r.w.normal(sum)
	case "CompareAndSwap":
		old := r.load(t, p, typ)
		if !r.w.equal(old, to.args[1]) {
			return boolean(false)
		}
		r.store(t, p, typ, to.args[2])
		return boolean(true)
	}
	panic(abort{unmodelled, to.name})
}

// part returns an object that is a part of another one: the content of a sync.Map.
func (r *run) part(p pointer, name string) *object {
	id := p.obj + p.path + name
	if o := r.objects[id]; o != nil {
		return o
	}
	owner := r.object(p.obj)
	o := &object{id: id, made: owner.made, cells: make(map[string]*cell)}
	if owner.base != "" {
		o.base = owner.base + p.path + name
	}
	r.objects[id] = o
	r.order = append(r.order, id)
	return o
}

func (t *thread) syncMap(to target) value {
	r := t.r
	m := r.part(t.pointer(to.args[0]), "")
	t.boundary = true
	old := func() (value, bool) {
		v, ok := r.get(t, m, to.args[1])
		if !ok {
			v = null{}
		}
		return v, ok
	}
	switch to.obj.Name() {
	case "Load":
		v, ok := old()
		return tuple{v, boolean(ok)}
	case "Store":
		r.set(t, m, to.args[1], to.args[2], true)
		return nil
	case "LoadOrStore":
		v, ok := old()
		if !ok {
			v = to.args[2]
			r.set(t, m, to.args[1], v, true)
		}
		return tuple{v, boolean(ok)}
	case "LoadAndDelete", "Delete":
		v, ok := old()
		r.set(t, m, to.args[1], nil, false)
		if to.obj.Name() == "Delete" {
			return nil
		}
		return tuple{v, boolean(ok)}
	case "Swap":
		v, ok := old()
		r.set(t, m, to.args[1], to.args[2], true)
		return tuple{v, boolean(ok)}
	case "CompareAndSwap", "CompareAndDelete":
		v, ok := old()
		if !ok || !r.w.equal(v, to.args[2]) {
			return boolean(false)
		}
		if to.obj.Name() == "CompareAndDelete" {
			r.set(t, m, to.args[1], nil, false)
		} else {
			r.set(t, m, to.args[1], to.args[3], true)
		}
		return boolean(true)
	}
	panic(abort{unmodelled, to.name})
}

// once executes Once.Do: the first caller runs the function, all others wait for its end.
func (t *thread) once(to target, leave func(value)) {
	r := t.r
	p := t.pointer(to.args[0])
	p.path, p.field = p.path+".done", nil
	name := p.obj + p.path
	if !r.canTake(t, name, false) {
		t.waits = name
		return
	}
	if r.load(t, p, types.Typ[types.Bool]) == boolean(true) {
		t.boundary = true
		return
	}
	r.take(t, name, false)
	ended := func(value) {
		r.store(t, p, types.Typ[types.Bool], boolean(true))
		r.release(t, name, false)
	}
	cl, ok := unboxed(to.args[1]).(closure)
	if !ok {
		panic(abort{unmodelled, "a function value"})
	}
	do := target{fn: cl.fn, free: cl.free, sig: cl.fn.Signature}
	r.e.resolve(&do)
	if do.fn == nil {
		panic(abort{unmodelled, "a function value"})
	}
	t.enter(do.fn, nil, do.free, ended)
}

// group executes a method of a WaitGroup. A unit waits for goroutines that are none of the two.
func (t *thread) group(to target) {
	name := "wait group " + t.textOf(to.args[0], 0)
	switch to.obj.Name() {
	case "Wait":
		t.boundary = true
		t.r.received[name] = true
	case "Go":
		t.r.effects = append(t.r.effects, effect{t.id, "go", to.args[1:]})
		t.r.sent[name] = true
	case "Done":
		t.r.sent[name] = true
	}
}

const closedPath = ".closed"

// channel returns the object of a channel, nil if it is not known.
func (t *thread) channel(ch value) *object {
	switch ch := unboxed(ch).(type) {
	case pointer:
		return t.r.object(ch.obj)
	case symbol:
		return nil
	}
	panic(abort{unmodelled, "a channel"})
}

func (t *thread) isClosed(o *object) bool {
	return t.r.load(t, pointer{obj: o.id, path: closedPath}, types.Typ[types.Bool]) == boolean(true)
}

func (t *thread) closes(ch value) {
	if isNull(ch) {
		panic(abort{crashed, "close of a nil channel"})
	}
	o := t.channel(ch)
	if o == nil {
		panic(abort{unmodelled, "close of a channel"})
	}
	if t.isClosed(o) {
		panic(abort{crashed, "close of a closed channel"})
	}
	t.r.store(t, pointer{obj: o.id, path: closedPath}, types.Typ[types.Bool], boolean(true))
	t.boundary = true
}

func (t *thread) send(ch, v value, instr ssa.Instruction) {
	t.r.at1(instr)
	if isNull(ch) {
		t.waits = "a nil channel"
		return
	}
	t.boundary = true
	if o := t.channel(ch); o != nil {
		if t.isClosed(o) {
			panic(abort{crashed, "send on a closed channel"})
		}
		t.r.sent[o.id] = true
	}
	t.r.effects = append(t.r.effects, effect{t.id, "send", []value{ch, v}})
}

// receive takes a value from a channel, which others fill.
func (t *thread) receive(ch value, typ types.Type, instr ssa.Instruction) (v value, ok bool) {
	t.r.at1(instr)
	elem := typ.Underlying().(*types.Chan).Elem()
	if isNull(ch) {
		t.waits = "a nil channel"
		return nil, false
	}
	if o := t.channel(ch); o != nil {
		if t.isClosed(o) {
			t.boundary = true
			return t.r.w.zero(elem), false
		}
		if ssautil.IsEmptyStruct(elem) {
			t.waits = "a channel"
			return nil, false
		}
		t.r.received[o.id] = true
	}
	t.boundary = true
	name := t.fresh("received")
	return t.r.w.unknown(name, elem, name, false), true
}

// selects chooses one of the cases that can be ready.
func (t *thread) selects(f *frame, instr *ssa.Select) {
	r := t.r
	var cases []int
	certain := false
	for i, s := range instr.States {
		ch := f.get(r, s.Chan)
		if isNull(ch) {
			continue
		}
		o := t.channel(ch)
		if o != nil && s.Dir == types.RecvOnly {
			closed := t.isClosed(o)
			certain = certain || closed
			if !closed && ssautil.IsEmptyStruct(s.Chan.Type().Underlying().(*types.Chan).Elem()) {
				continue
			}
		}
		cases = append(cases, i)
	}
	if !instr.Blocking && !certain {
		cases = append(cases, -1)
	}
	if len(cases) == 0 {
		t.waits = "a channel"
		return
	}
	i := cases[0]
	if len(cases) > 1 {
		i = cases[r.w.choose(t.fresh("select at "+r.e.position(instr.Pos())), len(cases))%len(cases)]
	}
	out := tuple{integer(int64(i)), boolean(false)}
	t.boundary = true
	for j, s := range instr.States {
		switch {
		case s.Dir == types.SendOnly && i == j:
			t.send(f.get(r, s.Chan), f.get(r, s.Send), instr)
		case s.Dir == types.RecvOnly && i == j:
			v, ok := t.receive(f.get(r, s.Chan), s.Chan.Type(), instr)
			out[1] = boolean(ok)
			out = append(out, v)
		case s.Dir == types.RecvOnly:
			out = append(out, t.r.w.zero(s.Chan.Type().Underlying().(*types.Chan).Elem()))
		}
	}
	f.env[instr] = out
}
