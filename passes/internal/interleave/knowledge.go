package interleave

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Knowledge is what the stores of a package say of the states that its variables can be in. It
// is collected without regard to control flow, so that it holds at all times.
type Knowledge struct {
	graph *callgraph.Graph
	vars  map[types.Object]*history
	// mutable are the types of the package with a field that is written after construction, or
	// that has a lock.
	mutable map[*types.TypeName]bool
}

// A history is what is stored in a field or a package variable.
type history struct {
	consts []constant.Value
	// other says that values other than constants are stored, null that nil is, and made that the
	// constructor of the object stores a value.
	other, null, made bool
	changes           bool // the variable is stored after construction
}

// NewKnowledge collects the stores of a package.
func NewKnowledge(g *callgraph.Graph) *Knowledge {
	k := &Knowledge{graph: g, vars: make(map[types.Object]*history), mutable: make(map[*types.TypeName]bool)}
	for _, f := range g.Funcs {
		if f.Test {
			continue
		}
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				k.scan(f.Fn, instr)
			}
		}
	}
	return k
}

func (k *Knowledge) scan(fn *ssa.Function, instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.Store:
		k.store(fn, instr.Addr, instr.Val)
	case *ssa.MapUpdate:
		k.changed(instr.Map)
	case ssa.CallInstruction:
		c := instr.Common()
		callee := ssautil.Target(c)
		if op, ok := atomicOf(callee); ok && len(c.Args) > 0 {
			switch op {
			case "Store", "Swap":
				k.store(fn, c.Args[0], c.Args[1])
			case "CompareAndSwap":
				k.store(fn, c.Args[0], c.Args[2])
			case "Add", "And", "Or":
				k.note(fn, c.Args[0]).other = true
			}
		}
	}
}

// changed notes that the content of a container is changed.
func (k *Knowledge) changed(container ssa.Value) {
	if l, ok := container.(*ssa.UnOp); ok && l.Op == token.MUL {
		if fa, ok := l.X.(*ssa.FieldAddr); ok && !ssautil.IsMadeHere(fa.X) {
			k.touches(fa)
		}
	}
}

func (k *Knowledge) touches(fa *ssa.FieldAddr) {
	if named := ssautil.Named(fa.X.Type()); named != nil {
		k.mutable[named.Origin().Obj()] = true
	}
}

// note returns the history of the variable at an address, an empty one if that is no variable.
func (k *Knowledge) note(fn *ssa.Function, addr ssa.Value) *history {
	var obj types.Object
	made := false
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		if v := ssautil.Field(addr.X.Type(), addr.Field); v != nil {
			obj = v
		}
		made = ssautil.IsMadeHere(addr.X)
		if !made {
			k.touches(addr)
		}
	case *ssa.Global:
		obj = addr.Object()
		made = ssautil.IsInit(fn)
	}
	if obj == nil {
		return new(history)
	}
	h := k.vars[obj]
	if h == nil {
		h = new(history)
		k.vars[obj] = h
	}
	h.made = h.made || made
	h.changes = h.changes || !made
	return h
}

func (k *Knowledge) store(fn *ssa.Function, addr, val ssa.Value) {
	h := k.note(fn, addr)
	c, ok := val.(*ssa.Const)
	switch {
	case !ok:
		h.other = true
	case c.Value == nil:
		h.null = true
	case !slices.ContainsFunc(h.consts, func(o constant.Value) bool { return constant.Compare(o, token.EQL, c.Value) }):
		h.consts = append(h.consts, c.Value)
	}
}

// domain returns the constants that a variable can have, nil if it has others.
func (k *Knowledge) domain(v *types.Var) []constant.Value {
	h := k.history(v)
	if h == nil || h.other || len(h.consts) == 0 || len(h.consts) > 4 {
		return nil
	}
	if h.made {
		return h.consts
	}
	zero := zeroOf(h.consts[0])
	if zero == nil || slices.ContainsFunc(h.consts, func(c constant.Value) bool { return constant.Compare(c, token.EQL, zero) }) {
		return h.consts
	}
	return append([]constant.Value{zero}, h.consts...)
}

func zeroOf(like constant.Value) constant.Value {
	switch like.Kind() {
	case constant.Bool:
		return constant.MakeBool(false)
	case constant.Int:
		return constant.MakeInt64(0)
	case constant.String:
		return constant.MakeString("")
	}
	return nil
}

func (k *Knowledge) history(v *types.Var) *history {
	if v == nil {
		return nil
	}
	return k.vars[v.Origin()]
}

// mayBeNil reports whether a reference can be nil.
func (k *Knowledge) mayBeNil(v *types.Var) bool {
	if v == nil {
		return true
	}
	h := k.history(v)
	if h == nil {
		_, isFunc := v.Type().Underlying().(*types.Signature)
		return isFunc
	}
	return h.null || !h.made
}

// isSettled reports whether a variable is only stored by constructors and initializers.
func (k *Knowledge) isSettled(v *types.Var) bool {
	h := k.history(v)
	return h == nil || !h.changes
}

// hasState reports whether the identity of an object of type t matters: it can change.
func (k *Knowledge) hasState(t types.Type) (has, known bool) {
	if t == nil {
		return false, false
	}
	named := ssautil.Named(t)
	if named == nil || named.Obj().Pkg() == nil {
		return true, true
	}
	if named.Obj().Pkg() != k.graph.Pkg {
		return false, false
	}
	return k.mutable[named.Origin().Obj()] || hasLock(named.Underlying()), true
}

// hasLock reports whether a structure has a field that synchronizes goroutines, which only an
// object with state needs, or one that refers to another object.
func hasLock(t types.Type) bool {
	st, ok := t.(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if !isData(f.Type()) || ssautil.IsReference(f.Type()) {
			return true
		}
	}
	return false
}
