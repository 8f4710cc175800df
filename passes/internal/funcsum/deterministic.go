package funcsum

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A call is deterministic if equal arguments give equal results, at any time: two keys that
// are computed by such calls are equal if their operands are.
//
//	func hash(name string) uint32 { h := fnv.New32a(); h.Write([]byte(name)); return h.Sum32() }
//
// A function of the package is, if it reads no memory that is written after construction but
// its own, writes no other memory, and makes deterministic calls. Of functions of other
// packages there are the types and the facts: a function of plain arguments, which accesses
// no shared memory, has nothing but its arguments to compute the result from, or package
// variables that nobody guards. A String method describes its receiver.

// Deterministic reports whether a call is.
func (p *Summaries) Deterministic(c *ssa.Call) bool { return p.deterministic(c) }

func (p *Summaries) deterministic(c *ssa.Call) bool {
	if c.Call.IsInvoke() {
		return isStringer(c.Call.Method)
	}
	callees := p.Resolve(nil, &c.Call)
	if len(callees) != 1 || callees[0].May || callees[0].Closure != nil {
		return false
	}
	if callees[0].Fn == nil {
		return isStringer(callees[0].Obj) || p.ofArguments(callees[0])
	}
	return p.isFunction(callees[0].Fn)
}

// isStringer reports whether a method is that of fmt.Stringer.
func isStringer(m *types.Func) bool {
	if m == nil || m.Name() != "String" || m.Signature().Recv() == nil {
		return false
	}
	sig := m.Signature()
	return sig.Params().Len() == 0 && sig.Results().Len() == 1 && ssautil.IsString(sig.Results().At(0).Type())
}

// ofArguments reports whether a function of another package can only depend on its
// arguments.
func (p *Summaries) ofArguments(c callgraph.Callee) bool {
	if c.Obj == nil || len(c.Args) == 0 || stdlib.Declares(c.Obj).Listed || stdlib.Declares(c.Obj).Outside || stdlib.OfFunc(c.Obj).Clock || touches(c.Sum) {
		return false
	}
	for _, a := range c.Args {
		if !isValue(a.Type()) && ssautil.Variadic(a) == nil {
			return false
		}
	}
	return true
}

// touches reports whether a summary has effects on shared memory, locks or goroutines.
func touches(s *fact.FuncSummary) bool {
	return s != nil && (len(s.Accesses)+len(s.Regions)+len(s.Effects)+len(s.Calls)+len(s.Acquires) > 0 || s.Mutates != 0 || s.Spawns)
}

// isValue reports whether values of type t are plain, or lists of plain ones.
func isValue(t types.Type) bool { return ssautil.IsPlain(t) || isPlainList(t) }

// isFunction reports whether the results of a function of the package are determined by its
// arguments. A recursive function counts as non-deterministic: nothing shows that it terminates.
func (p *Summaries) isFunction(f *callgraph.Node) bool {
	if known, ok := p.functions[f.ID]; ok {
		return known
	}
	if p.functions == nil {
		p.functions = make(map[callgraph.FuncID]bool)
	}
	p.functions[f.ID] = false // for recursion
	p.functions[f.ID] = p.computesOnly(f.Fn)
	return p.functions[f.ID]
}

func (p *Summaries) computesOnly(fn *ssa.Function) bool {
	n := 0
	for _, b := range fn.Blocks {
		n += len(b.Instrs)
		for _, instr := range b.Instrs {
			if !p.isComputation(instr) {
				return false
			}
		}
	}
	return n > 0 && n <= limit.SmallFunction && len(fn.Params) > 0
}

// isComputation reports whether an instruction depends on, and changes, nothing but the
// arguments and the function's own memory.
func (p *Summaries) isComputation(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Store:
		return isOwnMemory(instr.Addr)
	case *ssa.MapUpdate:
		return isOwnMemory(instr.Map)
	case *ssa.UnOp:
		return instr.Op != token.ARROW && (instr.Op != token.MUL || p.isFixed(instr.X))
	case *ssa.Lookup:
		return p.isFixed(instr.X)
	case *ssa.Range:
		return ssautil.IsString(instr.X.Type())
	case *ssa.Call:
		return p.isComputingCall(instr)
	case *ssa.Go, *ssa.Defer, *ssa.RunDefers, *ssa.Send, *ssa.Select, *ssa.MakeChan, *ssa.MakeClosure:
		return false
	}
	return true
}

// isComputingCall is isComputation for a call: it may also make an object, and use one that
// was made here.
func (p *Summaries) isComputingCall(c *ssa.Call) bool {
	if name := ssautil.Builtin(&c.Call); name != "" {
		switch name {
		case "copy", "clear", "delete":
			return isOwnMemory(c.Call.Args[0])
		case "len", "cap", "append", "min", "max":
			return true
		}
		return false
	}
	if p.deterministic(c) {
		return true
	}
	if c.Call.IsInvoke() {
		return isMadeByCall(c.Call.Value)
	}
	callees := p.Resolve(nil, &c.Call)
	if len(callees) != 1 || callees[0].Fn != nil || callees[0].Obj == nil || stdlib.OfFunc(callees[0].Obj).Clock || stdlib.Declares(callees[0].Obj).Listed {
		return false
	}
	return p.fillsOwnMemory(callees[0]) || makesObject(c, callees[0])
}

// fillsOwnMemory reports whether a call of a function of another package changes nothing but
// memory that the caller has made, by the values of its arguments:
//
//	var b [8]byte
//	binary.BigEndian.PutUint64(b[:], id)
func (p *Summaries) fillsOwnMemory(c callgraph.Callee) bool {
	if c.Sum == nil || len(c.Sum.Accesses)+len(c.Sum.Regions) > 0 || c.Sum.Spawns {
		return false
	}
	for i, a := range c.Args {
		own := isOwnMemory(a) || isMadeByCall(a)
		if i >= fact.MaxParams || !own && (c.Sum.Mutates&(1<<i) != 0 || !isValue(a.Type()) && !ssautil.IsEmptyStruct(a.Type())) {
			return false
		}
	}
	return c.Sum.Mutates != 0
}

// makesObject reports whether a call of a function of another package makes an object, or is a
// method of one that was made here.
func makesObject(call *ssa.Call, c callgraph.Callee) bool {
	recv := c.Obj.Signature().Recv() != nil
	if s := c.Sum; s != nil && (len(s.Accesses)+len(s.Regions) > 0 || s.Spawns || s.Mutates&^1 != 0 || s.Mutates != 0 && !recv) {
		return false
	}
	if recv {
		return isOwnMemory(call.Call.Args[0]) || isMadeByCall(call.Call.Args[0])
	}
	for i := range call.Call.Signature().Results().Len() {
		if ssautil.IsPlain(call.Call.Signature().Results().At(i).Type()) {
			return false // where does it come from?
		}
	}
	return len(call.Call.Args) == 0
}

// isMadeByCall reports whether v is an object that the function has from a call.
func isMadeByCall(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Call:
		return true
	case *ssa.Extract:
		_, ok := v.Tuple.(*ssa.Call)
		return ok
	case *ssa.ChangeInterface:
		return isMadeByCall(v.X)
	case *ssa.MakeInterface:
		return isMadeByCall(v.X)
	}
	return false
}

// isOwnMemory reports whether memory belongs to an object that the function allocates.
func isOwnMemory(addr ssa.Value) bool {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		case *ssa.Slice:
			addr = a.X
		case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
			return true
		default:
			return false
		}
	}
}

// isFixed reports whether memory does not change while the package runs, or belongs to the
// function, or is an element of an argument that is a list of plain values.
func (p *Summaries) isFixed(addr ssa.Value) bool {
	if isOwnMemory(addr) {
		return true
	}
	switch a := addr.(type) {
	case *ssa.Global, *ssa.FieldAddr:
		return !p.Mutable(addr)
	case *ssa.IndexAddr:
		if _, ok := a.X.(*ssa.Parameter); ok {
			return isPlainList(a.X.Type())
		}
		return p.isFixed(a.X)
	case *ssa.UnOp:
		return a.Op == token.MUL && p.isFixed(a.X)
	case *ssa.Call:
		return p.deterministic(a)
	}
	return false
}
