package summary

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A scanner makes one pass over the instructions of the package. It finds the calls
// between its functions, the functions that have anything to do with shared
// memory, the fields that change after construction, and how channels and
// condition variables are made. Everything else looks at the functions of
// interest only, which keeps the cost of packages without concurrency low.
type scanner struct {
	*GraphPackage
	// fields are those that each function mentions.
	fields     [][]*types.Var
	fieldCalls []fieldCall
}

func scan(g *GraphPackage) {
	p := &scanner{GraphPackage: g, fields: make([][]*types.Var, len(g.Funcs))}
	for _, f := range p.Funcs {
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				p.scanInstr(f, instr)
			}
		}
	}
	p.scanFieldCalls()
	p.findRelevant()
}

// findRelevant finds the functions whose summaries can say something to a
// function with locks: those with locks, those that mention a field that one
// with locks mentions, and those that call one of these.
func (p *scanner) findRelevant() {
	guarded := make(map[*types.Var]bool)
	for i, f := range p.Funcs {
		if f.shares {
			for _, v := range p.fields[i] {
				guarded[v] = true
			}
		}
	}
	callers := make([][]funcID, len(p.Funcs))
	var work []*GraphFunc
	mark := func(f *GraphFunc) {
		if !f.relevant {
			f.relevant = true
			work = append(work, f)
		}
	}
	for i, f := range p.Funcs {
		for _, c := range f.calls {
			callers[c.callee] = append(callers[c.callee], f.id)
		}
		// A literal may run under the locks of whoever is given it.
		if f.shares || f.Fn.Parent() != nil || slices.ContainsFunc(p.fields[i], func(v *types.Var) bool { return guarded[v] }) {
			mark(f)
		}
	}
	p.markHelpers(mark)
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range callers[f.id] {
			mark(p.Funcs[c])
		}
	}
}

// markHelpers marks the methods that functions with locks call, and those that
// these call, if they touch fields that change: they may run under the locks. So are
// those that say which lock it is.
func (p *scanner) markHelpers(mark func(*GraphFunc)) {
	var work []*GraphFunc
	seen := make([]bool, len(p.Funcs))
	for _, f := range p.Funcs {
		if f.shares {
			seen[f.id] = true
			work = append(work, f)
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range f.calls {
			g := p.Funcs[c.callee]
			if seen[g.id] {
				continue
			}
			seen[g.id] = true
			work = append(work, g)
			if returnsLock(g.Fn) || slices.ContainsFunc(p.fields[g.id], func(v *types.Var) bool { return p.written[v] }) ||
				slices.ContainsFunc(g.Fn.Params, func(prm *ssa.Parameter) bool { return ssautil.IsFunc(prm.Type()) }) {
				mark(g)
			}
		}
	}
}

// returnsLock reports whether a function returns a lock: which one is that?
func returnsLock(fn *ssa.Function) bool {
	results := fn.Signature.Results()
	return results.Len() == 1 && ssautil.IsReference(results.At(0).Type()) && isMutex(results.At(0).Type())
}

// mention records the field at a.
func (p *scanner) mention(f *GraphFunc, a *ssa.FieldAddr) {
	if v := ssautil.Field(a.X.Type(), a.Field); v != nil && !slices.Contains(p.fields[f.id], v) {
		p.fields[f.id] = append(p.fields[f.id], v)
	}
}

func (p *scanner) scanInstr(f *GraphFunc, instr ssa.Instruction) {
	switch instr := instr.(type) {
	case ssa.CallInstruction:
		p.scanCall(f, instr)
		return
	case *ssa.MakeClosure:
		p.scanClosure(f, instr)
		return
	case *ssa.Store:
		p.markWritten(instr.Addr)
		p.scanStore(instr)
		p.scanFuncField(instr)
	case *ssa.MapUpdate:
		p.markWritten(instr.Map)
	case *ssa.Send:
		p.scanToken(f, instr.Chan, true)
	case *ssa.Select:
		f.shares = true
		for _, st := range instr.States {
			if instr.Blocking {
				p.scanToken(f, st.Chan, st.Dir == types.SendOnly)
			} else {
				p.notToken(st.Chan)
			}
		}
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			p.scanToken(f, instr.X, false)
		}
		return
	case *ssa.FieldAddr:
		p.mention(f, instr)
		return
	case *ssa.IndexAddr, *ssa.If, *ssa.Jump, *ssa.BinOp, *ssa.Extract, *ssa.Field, *ssa.Lookup, *ssa.Next, *ssa.Range:
		return
	}
	// A function that is mentioned other than to be called is a value.
	var buf [8]*ssa.Value
	for _, op := range instr.Operands(buf[:0]) {
		if fn, ok := (*op).(*ssa.Function); ok {
			p.escape(f, fn)
		}
	}
}

func (p *scanner) scanCall(f *GraphFunc, instr ssa.CallInstruction) {
	c := instr.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "delete", "clear", "copy":
			p.markWritten(c.Args[0])
		}
		return
	}
	kind := Called
	if _, ok := instr.(*ssa.Go); ok {
		kind = Spawned
		f.shares = true
	}
	if c.IsInvoke() {
		if _, locks := stdlib.OfMethod(c.Method.Name()); locks {
			f.shares = true
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

// scanCallees records what a call may call.
func (p *scanner) scanCallees(f *GraphFunc, instr ssa.CallInstruction, kind CallKind) {
	for _, callee := range p.resolve(nil, instr.Common()) {
		switch {
		case callee.fn != nil:
			f.calls = append(f.calls, call{instr, callee.fn.id, kind})
		case callee.obj != nil:
			if stdlib.Declares(callee.obj).Listed {
				f.shares = true
				p.scanCond(callee.obj, instr)
			} else if s := callee.sum; s != nil && (len(s.Accesses) > 0 || len(s.Effects) > 0 || s.callsUnderGuard()) {
				f.shares = true
			}
			if callee.sum != nil {
				for i, a := range callee.args {
					if i < maxParams && callee.sum.Mutates&(1<<i) != 0 {
						p.markWritten(a)
					}
				}
			}
			// What a container is made of changes, whoever does it.
			if stdlib.OfFunc(callee.obj).Access&(stdlib.Writes|stdlib.Keyed|stdlib.Whole) != 0 && len(callee.args) > 0 {
				p.markWritten(callee.args[0])
			}
		}
	}
}

// passed records that a function is an argument of a call.
func (p *scanner) passed(f *GraphFunc, instr ssa.CallInstruction, fn *ssa.Function) {
	g := p.source(fn)
	if g == nil {
		return
	}
	f.calls = append(f.calls, call{instr, g.id, p.argumentKind(instr)})
}

// argumentKind guesses what a call does with a function it is given, before
// summaries are known: entry.go refines it.
func (p *GraphPackage) argumentKind(instr ssa.CallInstruction) CallKind {
	if _, ok := instr.(*ssa.Go); ok {
		return Spawned
	}
	if fn := instr.Common().StaticCallee(); fn != nil {
		if obj, ok := fn.Object().(*types.Func); ok {
			if stdlib.OfFunc(obj).Runs == stdlib.Spawns {
				return Spawned
			}
			if s := p.foreign.function(obj); s != nil && obj.Pkg() != p.Pkg {
				for _, c := range s.Calls {
					if c.Kind != Called {
						return c.Kind
					}
				}
			}
		}
	}
	return Called
}

func (p *scanner) scanClosure(f *GraphFunc, mc *ssa.MakeClosure) {
	fn := mc.Fn.(*ssa.Function)
	if p.byFn[fn] == nil {
		// A method value: the method is what matters.
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
				continue // scanCall sees it
			}
			p.passed(f, use, fn)
		case *ssa.Store:
			if _, local := use.Addr.(*ssa.Alloc); local {
				// Called through the variable, if at all: see scanCall.
				f.calls = append(f.calls, call{nil, p.byFn[fn].id, Called})
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

// converted follows a function value through a conversion.
func (p *scanner) converted(f *GraphFunc, v ssa.Value, fn *ssa.Function) {
	for _, use := range *v.Referrers() {
		if c, ok := use.(ssa.CallInstruction); ok {
			p.passed(f, c, fn)
		} else {
			p.escape(f, fn)
		}
	}
}

// source returns the Func behind a function value of this package: that of a
// generic function for its instances, of a method for its bound form; or nil.
func (p *GraphPackage) source(fn *ssa.Function) *GraphFunc {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if g := p.byFn[fn]; g != nil {
		return g
	}
	if obj, ok := fn.Object().(*types.Func); ok {
		return p.byObj[obj.Origin()]
	}
	return nil
}

// escape records that a function is kept as a value: it may run at any time.
func (p *scanner) escape(f *GraphFunc, fn *ssa.Function) {
	if g := p.source(fn); g != nil {
		g.named = true
		f.calls = append(f.calls, call{nil, g.id, Escapes})
	}
}

// markWritten records that memory reached through a field or package variable
// is written, unless it belongs to an object that is just being made.
func (p *scanner) markWritten(addr ssa.Value) { p.markWrittenFrom(addr, 16) }

func (p *scanner) markWrittenFrom(addr ssa.Value, depth int) {
	for ; depth > 0; depth-- {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			if !ssautil.IsMadeHere(a.X) {
				if v := ssautil.Field(a.X.Type(), a.Field); v != nil {
					p.written[v] = true
				}
			}
			// A part of a struct value is a part of what holds it.
			if _, ok := a.X.(*ssa.FieldAddr); !ok {
				return
			}
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		case *ssa.Global:
			p.written[a.Object()] = true
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

// mutable reports whether the memory at addr may change after construction.
func (p *GraphPackage) mutable(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		v := ssautil.Field(a.X.Type(), a.Field)
		if v == nil || p.written[v] {
			return true
		}
		if v.Pkg() != p.Pkg {
			return v.Exported() // who knows who writes it
		}
		return false
	case *ssa.Global:
		return p.written[a.Object()] || a.Pkg.Pkg != p.Pkg
	case *ssa.IndexAddr:
		return true
	}
	return true
}
