package callgraph

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// findRelevant marks the functions whose summaries can have information for a function with
// locks: functions with locks themselves, functions that share a field with one of those,
// literals, and the callers of all these. The summary of a function that keeps a function has what becomes of the argument, and
// its callers need no summary for that.
func (p *scanner) findRelevant() {
	guarded := make(map[*types.Var]bool)
	for i, f := range p.Funcs {
		if f.Shares {
			for _, v := range p.fields[i] {
				guarded[v] = true
			}
		}
	}
	callers := make([][]FuncID, len(p.Funcs))
	var work []*Node
	mark := func(f *Node) {
		if !f.Relevant {
			f.Relevant = true
			work = append(work, f)
		}
	}
	for i, f := range p.Funcs {
		for _, c := range f.Calls {
			callers[c.Callee] = append(callers[c.Callee], f.ID)
		}
		// A literal may be called in a critical section of the function that it is passed
		// to.
		if f.Shares || f.Fn.Parent() != nil || slices.ContainsFunc(p.fields[i], func(v *types.Var) bool { return guarded[v] }) {
			mark(f)
		}
	}
	p.markHelpers(mark)
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range callers[f.ID] {
			mark(p.Funcs[c])
		}
	}
	for _, f := range p.Funcs {
		f.Relevant = f.Relevant || f.Keeps
	}
}

// keepsFunc reports whether a function keeps a function that it is given: any goroutine may call that.
func (p *scanner) keepsFunc(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Params, func(prm *ssa.Parameter) bool {
		return ssautil.IsFunc(prm.Type()) && ssautil.Kept(prm, func(call ssa.CallInstruction) bool { return p.ArgumentKind(call) == fact.Escapes })
	})
}

// markHelpers marks the direct and indirect callees of functions with locks if they access
// fields that are mutable, or maps and variables that parameters refer to, return a lock or a
// part of an argument, or have function-valued parameters: they may run in a critical section of
// the caller, or begin one, or name what the caller locks and accesses.
func (p *scanner) markHelpers(mark func(*Node)) {
	var work []*Node
	seen := make([]bool, len(p.Funcs))
	for _, f := range p.Funcs {
		if f.Shares {
			seen[f.ID] = true
			work = append(work, f)
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range f.Calls {
			g := p.Funcs[c.Callee]
			if seen[g.ID] {
				continue
			}
			seen[g.ID] = true
			work = append(work, g)
			if p.usesParams[g.ID] || returnsLock(g.Fn) || p.returnsPart[g.ID] || slices.ContainsFunc(p.fields[g.ID], func(v *types.Var) bool { return p.written[v] }) ||
				ssautil.TakesFunc(g.Fn) {
				mark(g)
			}
		}
	}
}

// returnsLock reports whether the only result of a function is a lock. The summary has the
// path of that lock.
func returnsLock(fn *ssa.Function) bool {
	results := fn.Signature.Results()
	return results.Len() == 1 && ssautil.IsReference(results.At(0).Type()) && IsMutex(results.At(0).Type())
}

// noteReturn records that f returns a field or an element of an argument, by reference.
//
//	func (s *Store) shard(k string) *shard { return &s.shards[hash(k)%len(s.shards)] }
func (p *scanner) noteReturn(f *Node, ret *ssa.Return) {
	for i := range ret.Results {
		v := ssautil.Returned(ret, i)
		p.returnsPart[f.ID] = p.returnsPart[f.ID] || ssautil.IsReference(v.Type()) && isPartOfParameter(v)
	}
}

func isPartOfParameter(v ssa.Value) bool {
	for range limit.Selectors {
		switch part := v.(type) {
		case *ssa.FieldAddr:
			v = part.X
		case *ssa.IndexAddr:
			v = part.X
		case *ssa.Lookup:
			v = part.X
		case *ssa.UnOp:
			if part.Op != token.MUL {
				return false
			}
			v = part.X
		default:
			_, isParam := v.(*ssa.Parameter)
			return isParam
		}
	}
	return false
}

// usesParam records that f accesses the map or variable v, if that is a parameter.
func (p *scanner) usesParam(f *Node, v ssa.Value) {
	if l, ok := v.(*ssa.UnOp); ok && l.Op == token.MUL {
		v = l.X
	}
	_, isParam := v.(*ssa.Parameter)
	p.usesParams[f.ID] = p.usesParams[f.ID] || isParam
}

// mention records that f uses the field at a.
func (p *scanner) mention(f *Node, a *ssa.FieldAddr) {
	if v := ssautil.Field(a.X.Type(), a.Field); v != nil && !slices.Contains(p.fields[f.ID], v) {
		p.fields[f.ID] = append(p.fields[f.ID], v)
	}
}

func (p *scanner) scanInstr(f *Node, instr ssa.Instruction) {
	switch instr := instr.(type) {
	case ssa.CallInstruction:
		p.scanCall(f, instr)
		return
	case *ssa.MakeClosure:
		p.scanClosure(f, instr)
		return
	case *ssa.Return:
		p.noteReturn(f, instr)
		return
	case *ssa.Store:
		p.usesParam(f, instr.Addr)
		p.markWritten(instr.Addr)
		p.scanStore(instr)
		p.scanCondField(instr)
		p.scanFuncField(instr)
		p.scanCancel(instr)
	case *ssa.MapUpdate:
		p.usesParam(f, instr.Map)
		p.markWritten(instr.Map)
	case *ssa.MakeChan:
		p.scanMake(instr)
	case *ssa.ChangeType:
		p.scanMake(instr)
	case *ssa.Send:
		p.scanToken(f, instr.Chan, true, true)
	case *ssa.Select:
		f.Shares = true
		for _, st := range instr.States {
			p.scanToken(f, st.Chan, st.Dir == types.SendOnly, instr.Blocking)
		}
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			p.scanToken(f, instr.X, false, true)
		} else {
			p.usesParam(f, instr.X)
		}
		return
	case *ssa.FieldAddr:
		p.mention(f, instr)
		return
	case *ssa.Alloc:
		if named := ssautil.Named(instr.Type()); named != nil && instr.Heap {
			p.allocated[named.Obj()] = true
		}
	case *ssa.Lookup:
		p.usesParam(f, instr.X)
		return
	case *ssa.Range:
		p.usesParam(f, instr.X)
		return
	case *ssa.IndexAddr, *ssa.If, *ssa.Jump, *ssa.BinOp, *ssa.Extract, *ssa.Field, *ssa.Next:
		return
	}
	// An operand that is a function, outside the callee position of a call, escapes.
	var buf [8]*ssa.Value
	for _, op := range instr.Operands(buf[:0]) {
		if fn, ok := (*op).(*ssa.Function); ok {
			p.escape(f, fn)
		}
	}
}

func (p *scanner) scanCall(f *Node, instr ssa.CallInstruction) {
	c := instr.Common()
	if name := ssautil.Builtin(c); name != "" {
		switch name {
		case "delete", "clear", "copy":
			p.usesParam(f, c.Args[0])
			p.markWritten(c.Args[0])
		}
		return
	}
	kind := fact.Called
	if _, ok := instr.(*ssa.Go); ok {
		kind = fact.Spawned
		f.Shares = true
	}
	if c.IsInvoke() {
		if _, locks := stdlib.OfMethod(c.Method.Name()); locks {
			f.Shares = true
			p.scanLock(f, c.Method, instr)
		}
	}
	if !c.IsInvoke() && fieldOf(c) != "" {
		p.fieldCalls = append(p.fieldCalls, fieldCall{f, instr, kind})
	} else {
		p.scanCallees(f, instr, kind)
	}
	for _, a := range c.Args {
		if fn, ok := a.(*ssa.Function); ok {
			p.passed(f, instr, fn)
		}
	}
}

// scanCallees records the callees of a call.
func (p *scanner) scanCallees(f *Node, instr ssa.CallInstruction, kind fact.CallKind) {
	callees := p.Resolve(nil, instr.Common())
	if len(callees) == 0 {
		p.scanCaptured(f, instr, kind)
	}
	for _, callee := range callees {
		switch {
		case callee.Fn != nil:
			f.Calls = append(f.Calls, Call{instr, callee.Fn.ID, kind})
			p.notePassing(f, callee)
			p.noteHanded(f, callee)
		case callee.Obj != nil:
			if stdlib.Declares(callee.Obj).Listed {
				f.Shares = true
				p.scanLock(f, callee.Obj, instr)
				p.scanCond(callee.Obj, instr)
			} else if s := callee.Sum; s != nil && (len(s.Accesses) > 0 || len(s.Effects) > 0 || s.CallsUnderGuard()) {
				f.Shares = true
			}
			if callee.Sum != nil {
				for i, a := range callee.Args {
					if i < fact.MaxParams && callee.Sum.Mutates&(1<<i) != 0 {
						p.markWritten(a)
					}
				}
			}
			// Operations of sync.Map, container types and the like write their receiver.
			if stdlib.OfFunc(callee.Obj).Access&(stdlib.Writes|stdlib.Keyed|stdlib.Whole) != 0 && len(callee.Args) > 0 {
				p.markWritten(callee.Args[0])
			}
		}
	}
}

// scanLock records that f takes or releases a lock, and where.
func (p *scanner) scanLock(f *Node, method *types.Func, at ssa.CallInstruction) {
	if m, ok := stdlib.OfMethod(method.Name()); ok {
		if _, now := at.(*ssa.Call); now {
			step := releases
			if m.Acquires {
				step = acquires
			}
			p.locked[f.ID] = append(p.locked[f.ID], lockCall{at, step})
		}
		p.takes[f.ID] = p.takes[f.ID] || m.Acquires
		p.gives[f.ID] = p.gives[f.ID] || !m.Acquires
	}
}

// markBorrowers finds the functions that use locks by way of functions which only take them, or
// only release them: the critical section is theirs.
//
//	func (s *store) lock() { s.waiting.Add(1); s.mu.Lock() }
func (p *scanner) markBorrowers() {
	p.markTokens()
	callers := make([][]FuncID, len(p.Funcs))
	var work []FuncID
	for _, f := range p.Funcs {
		for _, c := range f.Calls {
			if c.Kind == fact.Called {
				callers[c.Callee] = append(callers[c.Callee], f.ID)
			}
		}
		work = append(work, f.ID)
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		if p.takes[f] == p.gives[f] {
			continue
		}
		for _, g := range callers[f] {
			takes, gives := p.takes[g] || p.takes[f], p.gives[g] || p.gives[f]
			if p.Funcs[g].Shares = true; takes != p.takes[g] || gives != p.gives[g] {
				p.takes[g], p.gives[g] = takes, gives
				work = append(work, g)
			}
		}
	}
}

// passed records that a function is an argument of a call.
func (p *scanner) passed(f *Node, instr ssa.CallInstruction, fn *ssa.Function) {
	g := p.source(fn)
	if g == nil {
		return
	}
	f.Calls = append(f.Calls, Call{instr, g.ID, p.ArgumentKind(instr)})
}

// ArgumentKind returns what a call does with its function-valued arguments, as far as the
// standard library's table and facts of other packages say; otherwise it assumes Called.
// Function summaries refine this (see FuncSummary.Calls).
func (p *Graph) ArgumentKind(instr ssa.CallInstruction) fact.CallKind {
	if _, ok := instr.(*ssa.Go); ok {
		return fact.Spawned
	}
	if fn := instr.Common().StaticCallee(); fn != nil {
		if obj, ok := fn.Object().(*types.Func); ok {
			if stdlib.OfFunc(obj).Runs == stdlib.Spawns {
				return fact.Spawned
			}
			if s := p.Foreign.Function(obj); s != nil && obj.Pkg() != p.Pkg {
				for _, c := range s.Calls {
					if c.Kind != fact.Called {
						return c.Kind
					}
				}
			}
		}
	}
	return fact.Called
}

func (p *scanner) scanClosure(f *Node, mc *ssa.MakeClosure) {
	fn := mc.Fn.(*ssa.Function)
	if p.ByFn[fn] == nil {
		// A method value stands for its method.
		if obj, ok := fn.Object().(*types.Func); ok && p.byObj[obj.Origin()] != nil {
			fn = p.byObj[obj.Origin()].Fn
		} else {
			return
		}
	}
	for _, use := range *mc.Referrers() {
		switch use := use.(type) {
		case ssa.CallInstruction:
			if use.Common().Value == mc {
				continue // recorded by scanCall
			}
			p.passed(f, use, fn)
		case *ssa.Store:
			if v, local := use.Addr.(*ssa.Alloc); local {
				// The call through the variable is resolved by FuncValue.
				if !onlyCaptured(v) {
					f.Calls = append(f.Calls, Call{nil, p.Called(fn).ID, fact.Called})
				}
				continue
			}
			p.escape(f, fn)
		case *ssa.DebugRef:
		case *ssa.ChangeType, *ssa.MakeInterface:
			p.converted(f, use.(ssa.Value), fn)
		default:
			p.escape(f, fn)
		}
	}
}

// converted records the uses of a function value after a conversion.
func (p *scanner) converted(f *Node, v ssa.Value, fn *ssa.Function) {
	for _, use := range *v.Referrers() {
		if c, ok := use.(ssa.CallInstruction); ok {
			p.passed(f, c, fn)
		} else {
			p.escape(f, fn)
		}
	}
}

// escape records that a function is stored as a value: any goroutine may call it at any
// time.
func (p *scanner) escape(f *Node, fn *ssa.Function) {
	if g := p.source(fn); g != nil {
		g.Named = true
		f.Calls = append(f.Calls, Call{nil, g.ID, fact.Escapes})
	}
}

// markWritten records a write of the memory at addr to the field or package variable
// through which it is reached, except in the construction of an object. To write a struct is to write
// its fields: see markParts.
func (p *scanner) markWritten(addr ssa.Value) {
	p.markWrittenFrom(addr, 16)
	t := ssautil.Deref(addr.Type())
	st, ok := t.Underlying().(*types.Struct)
	if !ok || p.IsMade(addr) {
		return
	}
	if named := ssautil.Named(t); named == nil {
		p.markFields(st) // of a type without a name
	} else if named.Obj().Pkg() == p.Pkg {
		p.overwritten[named.Obj()] = true
	}
}

// markParts records the writes of the fields of structs that are written as a whole. Of a type that is
// also allocated by itself, some values are parts of an object and others are objects. A field of the
// type does not distinguish them, so only writes of that field count there.
//
//	c.layout = layout{w, h}
func (p *scanner) markParts() {
	for t := range p.overwritten {
		if st, ok := t.Type().Underlying().(*types.Struct); ok && !p.allocated[t] {
			p.markFields(st)
		}
	}
}

// markFields records a write of the fields of a struct, and of structs in it.
func (p *scanner) markFields(t *types.Struct) {
	for v := range t.Fields() {
		if v.Pkg() != p.Pkg {
			continue
		}
		p.written[v.Origin()] = true
		if part, ok := v.Type().Underlying().(*types.Struct); ok {
			p.markFields(part)
		}
	}
}

func (p *scanner) markWrittenFrom(addr ssa.Value, depth int) {
	for ; depth > 0; depth-- {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			if v := ssautil.Field(a.X.Type(), a.Field); v != nil {
				p.markField(a, v)
			}
			// A field of a struct value is part of the field that contains the struct.
			if _, ok := a.X.(*ssa.FieldAddr); !ok {
				return
			}
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		case *ssa.Global:
			p.written[a.Object()] = true
			return
		case *ssa.Parameter:
			p.changed[a] = true
			return
		case *ssa.UnOp:
			if a.Op != token.MUL {
				return
			}
			addr = a.X
		case *ssa.Lookup:
			addr = a.X
		case *ssa.Extract:
			if l, ok := a.Tuple.(*ssa.Lookup); ok {
				addr = l.X
				continue
			}
			return
		case *ssa.Slice:
			addr = a.X
		case *ssa.Phi:
			for _, e := range a.Edges {
				if _, ok := e.(*ssa.Phi); !ok {
					p.markWrittenFrom(e, min(depth-1, 3))
				}
			}
			return
		default:
			return
		}
	}
}

// markField records a write of a field. Whether that belongs to the construction of the object is decided when all calls are
// known, if the function has made the object or has been given it. A new object in a variable that literals capture is taken to be
// under construction.
func (p *scanner) markField(a *ssa.FieldAddr, v *types.Var) {
	whole := ssautil.Whole(a.X)
	if prm, ok := whole.(*ssa.Parameter); ok {
		p.given[prm] = append(p.given[prm], v)
	} else if p.isMade(whole) {
		if p.filled[whole] == nil {
			p.objects = append(p.objects, whole)
		}
		p.filled[whole] = append(p.filled[whole], filling{a, v})
	} else if !p.isCaptured(whole) {
		p.written[v] = true
	}
}

// Overwritten reports whether an object of type t, a struct or a pointer to one, may be written as a whole after its construction.
func (p *Graph) Overwritten(t types.Type) bool {
	named := ssautil.Named(t)
	return named == nil || p.overwritten[named.Origin().Obj()]
}

// Mutable reports whether the memory at addr may be written after construction.
func (p *Graph) Mutable(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		v := ssautil.Field(a.X.Type(), a.Field)
		if v == nil || p.written[v] {
			return true
		}
		if v.Pkg() != p.Pkg {
			return v.Exported() // other packages may write it
		}
		return false
	case *ssa.Global:
		if ssautil.IsEmptyStruct(ssautil.Deref(a.Type())) {
			return false // binary.BigEndian
		}
		return p.written[a.Object()] || a.Pkg.Pkg != p.Pkg
	case *ssa.IndexAddr:
		return true
	}
	return true
}
