package atomicset

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// The translation follows one object. A procedure of the model is a function
// together with what its parameters, free variables and local variables are in
// terms of that object; everything else is unknown, and neither accesses to it
// nor its locks are in the model. Locks of what the object was reached from
// are, under the assumption that it is reached from one owner.

// maxNodes bounds a model, and maxStates the states in which one block of a
// function is translated: what is deferred, and what variables are.
const (
	maxNodes  = 20000
	maxStates = 12
)

// A translator makes the model for one set.
type translator struct {
	pkg   *summary.Package
	set   *atomicSet
	units *units
	cands *candidates
	m     *model.Model
	procs map[string]int
	// processes are the entry points, which a spawn may start.
	processes []*process
	starts    []start
	awaits    []await
	// cand is the candidate that is the object in the process under way.
	cand candidate
	// full says that something was left out because the model is too large.
	full bool
}

// A binding is a function value that a parameter has.
type binding struct {
	fn *summary.Func
	// params are what is known of its parameters: all that it is called with,
	// or the receiver of a method value.
	params, frees []accesspath.Path
	fns           []*binding
	key           string
}

// An instance is a function with what its variables are.
type instance struct {
	f             *summary.Func
	params, frees []accesspath.Path
	fns           []*binding // of the parameters that are functions
	entry         bool       // it is where the process starts
	unit          bool
}

func (in *instance) key(cand candidate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s|%v|%v|%v|%v", in.f.Fn.String(), in.params, in.frees, in.entry, in.f == cand.fn)
	for _, fn := range in.fns {
		if fn != nil {
			b.WriteString("|" + fn.key)
		} else {
			b.WriteString("|")
		}
	}
	if in.entry || cand.base.Root() != cand.base || !isParam(cand.base) {
		fmt.Fprintf(&b, "|%s:%s=%s", cand.fn.Fn.String(), cand.base, cand.as)
	}
	return b.String()
}

// isParam reports whether an object is given to the function as it is.
func isParam(p accesspath.Path) bool { return p[0] == 'p' || p[0] == 'f' }

// process translates a process and returns its procedure.
func (t *translator) process(p *process) int {
	t.cand = p.cand
	if p.outline != nil {
		return t.outline(p)
	}
	in := &instance{f: p.fn, entry: true}
	in.params = make([]accesspath.Path, len(p.fn.Fn.Params))
	in.frees = make([]accesspath.Path, len(p.fn.Fn.FreeVars))
	in.fns = make([]*binding, len(in.params))
	return t.proc(in)
}

// proc returns the procedure of an instance.
func (t *translator) proc(in *instance) int {
	key := in.key(t.cand)
	if i, ok := t.procs[key]; ok {
		return i
	}
	i := len(t.m.Procs)
	t.procs[key] = i
	proc := &model.Proc{Name: t.procName(summary.Name(in.f.Fn), i)}
	t.m.Procs = append(t.m.Procs, proc)
	in.unit = t.isUnit(in)
	b := &builder{t: t, in: in, proc: proc, states: make(map[string]int), count: make(map[int]int), where: summary.Name(in.f.Fn), steps: t.pkg.Steps(in.f), loops: make(map[*ssa.BasicBlock][]int)}
	b.build()
	return i
}

// procName makes the name of a function one that the model language can have.
func (t *translator) procName(name string, i int) string {
	return fmt.Sprintf("%s/%d", strings.NewReplacer("{", "", "}", "", ":", "", "#", "", " ", "").Replace(name), i)
}

// isUnit reports whether the function is a unit of work for the object.
func (t *translator) isUnit(in *instance) bool {
	for i, p := range in.params {
		if p.Within(object) && t.units.forParam(in.f, i) {
			return true
		}
	}
	if in.entry || t.set.owner == "" {
		return t.units.isUnit(in.f, t.cand)
	}
	reaches := func(p accesspath.Path) bool { return p.Within(object) || p.Within(around) }
	return t.units.explicit(in.f) && (slices.ContainsFunc(in.params, reaches) || t.cands.leads(in.f, t.cand))
}

// A state is what the translation of a block depends on, besides the block.
type state struct {
	defers []*ssa.Defer
	// vars are what the variables that join several values are.
	vars map[*ssa.Phi]accesspath.Path
}

func (s state) key(block int) string {
	var b strings.Builder
	fmt.Fprint(&b, block)
	for _, d := range s.defers {
		fmt.Fprintf(&b, "|%d.%d", d.Block().Index, slices.Index(d.Block().Instrs, ssa.Instruction(d)))
	}
	list := make([]string, 0, len(s.vars))
	for phi, p := range s.vars {
		list = append(list, phi.Name()+"="+string(p))
	}
	slices.Sort(list)
	fmt.Fprint(&b, list)
	return b.String()
}

// A builder makes one procedure.
type builder struct {
	t      *translator
	in     *instance
	proc   *model.Proc
	where  string // name of the function
	steps  map[ssa.Instruction][]summary.Step
	states map[string]int // the nodes at which blocks begin
	count  map[int]int    // states of each block
	work   []job
	loose  []int // nodes that go on at the next one
	vars   map[*ssa.Phi]accesspath.Path
	loops  map[*ssa.BasicBlock][]int // see retried
}

type job struct {
	block *ssa.BasicBlock
	st    state
	node  int
}

func (b *builder) build() {
	b.emit(model.Skip, 0, token.NoPos, "")
	if b.in.unit {
		b.emit(model.Begin, 0, b.in.f.Fn.Pos(), "")
	}
	b.enter(b.in.f.Fn.Blocks[0], state{})
	for len(b.work) > 0 {
		j := b.work[len(b.work)-1]
		b.work = b.work[:len(b.work)-1]
		b.loose = []int{j.node}
		b.block(j.block, j.st)
	}
}

// emit appends a node at which the loose ones go on.
func (b *builder) emit(op model.Op, arg int, pos token.Pos, text string) int {
	i := len(b.proc.Nodes)
	b.proc.Nodes = append(b.proc.Nodes, model.Node{Op: op, Arg: arg, Pos: pos, Text: text, Where: b.where})
	b.link(i)
	b.loose = []int{i}
	return i
}

// link lets the loose nodes go on at node i.
func (b *builder) link(i int) {
	for _, from := range b.loose {
		if n := &b.proc.Nodes[from]; !slices.Contains(n.Succs, i) {
			n.Succs = append(n.Succs, i)
		}
	}
}

// enter lets the loose nodes go on at a block.
func (b *builder) enter(block *ssa.BasicBlock, st state) {
	key := st.key(block.Index)
	node, ok := b.states[key]
	if !ok {
		if b.count[block.Index]++; b.count[block.Index] > maxStates || b.t.size() > maxNodes {
			b.t.full = true
			return
		}
		loose := b.loose
		b.loose = nil
		node = b.emit(model.Skip, 0, token.NoPos, "")
		b.loose = loose
		b.states[key] = node
		b.work = append(b.work, job{block, st, node})
	}
	b.link(node)
}

func (t *translator) size() int { return t.m.Size() }

// block translates the instructions of a block.
func (b *builder) block(block *ssa.BasicBlock, st state) {
	b.vars = st.vars
	if len(b.retried(block)) > 0 {
		b.emit(model.Try, 0, token.NoPos, "")
	}
	for _, instr := range block.Instrs {
		switch instr := instr.(type) {
		case *ssa.Defer:
			if len(b.steps[instr]) > 0 && !slices.Contains(st.defers, instr) {
				st.defers = append(slices.Clip(st.defers), instr)
			}
			continue
		case *ssa.RunDefers:
			for i := len(st.defers) - 1; i >= 0; i-- {
				b.do(b.steps[st.defers[i]])
			}
			st.defers = nil
			continue
		case *ssa.Return:
			if b.in.unit {
				b.emit(model.End, 0, instr.Pos(), "")
			}
			b.emit(model.Return, 0, instr.Pos(), "")
			return
		case *ssa.Panic:
			return
		}
		b.do(b.steps[instr])
	}
	loose := b.loose
	for i, succ := range block.Succs {
		b.loose = loose
		if b.in.f.Flow != nil {
			for _, op := range b.in.f.Flow.Told(block, i) {
				op.Outcome = lockset.Always
				b.lock(op, block.Instrs[len(block.Instrs)-1].Pos())
			}
		}
		if succ.Dominates(block) {
			for _, loc := range b.retried(succ) {
				b.emit(model.Retry, loc, token.NoPos, "")
			}
		}
		b.enter(succ, state{st.defers, b.joined(block, succ)})
	}
}

// do translates steps.
func (b *builder) do(steps []summary.Step) {
	for _, s := range steps {
		switch s.Kind {
		case summary.AccessStep:
			b.access(s)
		case summary.LockStep:
			b.lock(s.Lock, s.Pos)
		case summary.CallStep:
			b.calls(s, b.bindings(s.Callees))
		case summary.RepeatedStep:
			head := b.emit(model.Skip, 0, s.Pos, "")
			b.calls(s, b.bindings(s.Callees))
			b.link(head)
			b.loose = []int{head}
		case summary.ArgumentStep:
			if s.Param < len(b.in.fns) && s.Param >= 0 && b.in.fns[s.Param] != nil {
				b.calls(s, []*binding{b.in.fns[s.Param]})
			}
		case summary.SpawnStep:
			b.spawn(s)
		case summary.AwaitStep:
			b.await(s)
		}
	}
}

// access translates an access to a member of the set. What reads and writes
// atomically is a passage through a lock of the location.
func (b *builder) access(s summary.Step) {
	path := b.sym(s.Event.MemberPath())
	i := b.t.set.find(path)
	if i < 0 || !b.guarded(s.Event) {
		return
	}
	m := b.t.set.members[i]
	loc := indexOf(&b.t.m.Locations, m.name())
	atomic := slices.ContainsFunc(s.Event.Holds, summary.Hold.IsAtomic)
	guard := 0
	if atomic {
		guard = indexOf(&b.t.m.Locks, "atomic."+m.name())
		b.emit(model.Lock, guard, token.NoPos, "")
	}
	text := b.in.f.NameOf(s.Event)
	if s.Event.Reads() {
		b.emit(model.Read, loc, s.Pos, text)
	}
	if s.Event.Writes() {
		b.emit(model.Write, loc, s.Pos, text)
	}
	if atomic {
		b.emit(model.Unlock, guard, token.NoPos, "")
	}
}

// lock translates an operation on a lock that has a name.
func (b *builder) lock(op lockset.Op, pos token.Pos) {
	if op.Outcome != lockset.Always {
		return // the branches tell
	}
	path := b.sym(op.Guard.Path)
	if path == accesspath.Unknown || b.t.set.inferred && op.Guard.Class == b.t.set.guard && !path.Within(object) {
		path = b.t.guardName(op.Guard)
	}
	if path == accesspath.Unknown || path == object || path == around {
		return
	}
	text := b.in.f.GuardName(summary.Hold{Guard: op.Guard})
	i := indexOf(&b.t.m.Locks, string(path))
	b.emit(lockOp(op.Kind, op.Guard.Mode), i, pos, text)
}

// lockOp returns what an operation on a lock is in the model language.
func lockOp(kind lockset.OpKind, mode lockset.Mode) model.Op {
	shared := mode == lockset.Shared
	switch {
	case kind == lockset.Split:
		return model.Wait
	case kind == lockset.Acquire && shared:
		return model.RLock
	case kind == lockset.Acquire:
		return model.Lock
	case shared:
		return model.RUnlock
	}
	return model.Unlock
}

// indexOf returns the index of name in list, adding it if needed.
func indexOf(list *[]string, name string) int {
	i := slices.Index(*list, name)
	if i < 0 {
		i = len(*list)
		*list = append(*list, name)
	}
	return i
}

// calls translates a call of one of some functions.
func (b *builder) calls(s summary.Step, callees []*binding) {
	before := b.loose
	var after []int
	for _, c := range callees {
		b.loose = before
		in := &instance{f: c.fn, params: c.params, frees: c.frees, fns: c.fns}
		if !b.concerns(in) {
			after = append(after, b.loose...)
			continue
		}
		b.emit(model.Call, b.t.proc(in), s.Pos, "")
		after = append(after, b.loose...)
	}
	if len(callees) > 0 {
		slices.Sort(after)
		b.loose = slices.Compact(after)
	}
}

// concerns reports whether an instance can have anything to do with the object:
// it gets to it by what it is given, by package variables, or makes it.
func (b *builder) concerns(in *instance) bool {
	known := func(p accesspath.Path) bool { return p != accesspath.Unknown }
	if slices.ContainsFunc(in.params, known) || slices.ContainsFunc(in.frees, known) {
		return true
	}
	if slices.ContainsFunc(in.fns, func(f *binding) bool { return f != nil }) {
		return true
	}
	wraps := func(op lockset.Op) bool { return op.Guard.Path.IsGlobal() }
	return in.f.Sum != nil && slices.ContainsFunc(in.f.Sum.Effects, wraps) || b.t.cands.leads(in.f, b.t.cand)
}

// bindings returns the functions that a call may run, with what they capture.
func (b *builder) bindings(callees []summary.Callee) []*binding {
	out := make([]*binding, 0, len(callees))
	for _, c := range callees {
		if told(c.Func) {
			continue
		}
		out = append(out, b.bind(c, 0))
	}
	return out
}

// told reports whether a result of f tells what it did to locks. What it does
// then depends on what the caller does with the result, see Flow.Told.
func told(f *summary.Func) bool {
	return f.Sum != nil && slices.ContainsFunc(f.Sum.Effects, func(op lockset.Op) bool { return op.Outcome != lockset.Always })
}

func (b *builder) bind(c summary.Callee, depth int) *binding {
	out := &binding{fn: c.Func}
	for j := range c.Func.Fn.Params {
		out.params = append(out.params, b.sym(c.Translate(accesspath.Param(j))))
	}
	for j := range c.Func.Fn.FreeVars {
		out.frees = append(out.frees, b.sym(c.Translate(accesspath.Free(j))))
	}
	out.fns = make([]*binding, len(c.Func.Fn.Params))
	out.key = fmt.Sprint(c.Func.Fn.String(), out.params, out.frees)
	for j := range out.fns {
		lits, param := c.Argument(j)
		switch {
		case param >= 0 && param < len(b.in.fns):
			out.fns[j] = b.in.fns[param]
		case len(lits) == 1 && depth < 3:
			out.fns[j] = b.bind(lits[0], depth+1)
		}
		if out.fns[j] != nil {
			out.key += "," + out.fns[j].key
		}
	}
	return out
}

// sym returns what a path of the function is in terms of the object, or
// Unknown.
func (b *builder) sym(p accesspath.Path) accesspath.Path {
	if p == accesspath.Unknown {
		return accesspath.Unknown
	}
	cand := b.t.cand
	if b.in.f == cand.fn && (b.in.entry || cand.base.IsFresh()) && p.Within(cand.base) {
		return b.t.normal(cand.as + p[len(cand.base):])
	}
	return b.t.normal(p.Substitute(b.root))
}

// root returns what a root of a path is.
func (b *builder) root(r accesspath.Path) accesspath.Path {
	if r.IsGlobal() {
		return r
	}
	if b.in.entry && b.in.f == b.t.cand.fn && r == b.t.cand.base.Root() {
		return around
	}
	var n int
	if _, err := fmt.Sscanf(string(r[1:]), "%d", &n); err != nil {
		return accesspath.Unknown
	}
	switch {
	case r[0] == 'p' && n < len(b.in.params):
		return b.in.params[n]
	case r[0] == 'f' && n < len(b.in.frees):
		return b.in.frees[n]
	}
	if phi, ok := b.in.f.Res.Definition(r).(*ssa.Phi); ok {
		return b.vars[phi]
	}
	return accesspath.Unknown
}

// normal gives a path its one name: elements are not told apart, and the object
// is known under the name that it was reached by.
func (t *translator) normal(p accesspath.Path) accesspath.Path {
	if p == accesspath.Unknown {
		return p
	}
	if t.cand.base.Root() != t.cand.base && !t.cand.base.IsFresh() {
		name := t.cand.base
		if !name.IsGlobal() {
			name = around + t.cand.base[len(t.cand.base.Root()):]
		}
		if p.Within(name) {
			p = t.cand.as + p[len(name):]
		}
	} else if t.cand.base.IsGlobal() && t.cand.as == object && p.Within(t.cand.base) {
		p = object + p[len(t.cand.base):]
	}
	p = elements(p)
	if i := t.set.find(p); i >= 0 {
		m := t.set.members[i].path()
		if rest := p[len(m):]; rest != "" {
			return m + "[*]" // somewhere in what the member holds
		}
	}
	return p
}

// elements replaces the keys of a path.
func elements(p accesspath.Path) accesspath.Path {
	var b strings.Builder
	depth := 0
	for i := range len(p) {
		switch p[i] {
		case '[':
			if depth++; depth == 1 {
				b.WriteString("[*]")
			}
			continue
		case ']':
			depth--
			continue
		}
		if depth == 0 {
			b.WriteByte(p[i])
		}
	}
	return accesspath.Path(b.String())
}

// joined returns what the variables of succ are that join values, if control
// comes from block.
func (b *builder) joined(block, succ *ssa.BasicBlock) map[*ssa.Phi]accesspath.Path {
	out := make(map[*ssa.Phi]accesspath.Path)
	for phi, p := range b.vars {
		if phi.Block() != succ && live(phi, succ) {
			out[phi] = p
		}
	}
	pred := slices.Index(succ.Preds, block)
	for _, instr := range succ.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		if p := b.sym(b.in.f.Res.Resolve(phi.Edges[pred]).Path); p != accesspath.Unknown && (p.Within(object) || p.Within(around)) {
			out[phi] = p
		}
	}
	return out
}

// live reports whether phi may still be used at the block: it is dominated by
// the definition.
func live(phi *ssa.Phi, at *ssa.BasicBlock) bool { return phi.Block().Dominates(at) }

// compareProcess orders processes by where they are declared, so that models do
// not depend on chance.
func compareProcess(a, b *process) int {
	return cmp.Or(cmp.Compare(a.pos(), b.pos()), strings.Compare(a.name(), b.name()), strings.Compare(string(a.cand.base), string(b.cand.base)))
}

// retried returns the locations of which a loop with the given head does not take
// from one round to the next what was read of them: the rounds only try again.
func (b *builder) retried(head *ssa.BasicBlock) []int {
	if known, ok := b.loops[head]; ok {
		return known
	}
	back := func(p *ssa.BasicBlock) bool { return head.Dominates(p) }
	var out []int
	if slices.ContainsFunc(head.Preds, back) {
		for i := range b.t.m.Locations {
			out = append(out, i)
		}
	}
	for _, instr := range head.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		for i, v := range phi.Edges {
			if back(head.Preds[i]) {
				kept := b.read(b.t.pkg.Slice(b.in.f, v))
				out = slices.DeleteFunc(out, func(l int) bool { return kept[l] })
			}
		}
	}
	b.loops[head] = out
	return out
}

// read returns the locations that some values may come from: those of the
// accesses among them, and any if there are calls.
func (b *builder) read(values []ssa.Value) map[int]bool {
	out := make(map[int]bool)
	for _, v := range values {
		instr, ok := v.(ssa.Instruction)
		if e, isResult := v.(*ssa.Extract); isResult {
			instr, ok = e.Tuple.(ssa.Instruction)
		}
		if !ok {
			continue
		}
		for _, s := range b.steps[instr] {
			switch s.Kind {
			case summary.AccessStep:
				if i := b.t.set.find(b.sym(s.Event.MemberPath())); i >= 0 {
					out[i] = true
				}
			case summary.CallStep, summary.ArgumentStep:
				for i := range b.t.m.Locations {
					out[i] = true
				}
			}
		}
	}
	return out
}
