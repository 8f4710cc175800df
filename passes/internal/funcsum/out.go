package funcsum

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A function also has output in memory that its caller passes for that purpose, and in the
// arguments of function values that its caller passes:
//
//	b.CopyTo(dst)
//	m.Each(func(k string) { keys = append(keys, k) })
//
// Memory with a location of its own is no such output: it has accesses.

// outs returns the outputs of f through its parameters, and the reads that each depends on.
func (p *Summaries) outs(f *Body) ([]fact.Out, [][]int) {
	var out []fact.Out
	var reads [][]int
	byValue := f.valueIndex()
	param := func(addr ssa.Value) (int, bool) {
		prm, ok := pointedBy(addr).(*ssa.Parameter)
		i := slices.Index(f.Fn.Params, prm)
		return i, ok && i >= 0 && i < fact.MaxParams
	}
	add := func(addr ssa.Value, found []int) {
		i, ok := param(addr)
		if !ok || len(found) == 0 {
			return
		}
		for k := range out {
			if out[k].Param == i {
				reads[k] = Union(reads[k], found)
				return
			}
		}
		out, reads = append(out, fact.Out{Param: i}), append(reads, found)
	}
	// Most stores and calls have no parameter as their target: they are skipped before
	// their values are sliced.
	put := func(addr ssa.Value, values ...ssa.Value) {
		if _, ok := param(addr); ok {
			add(addr, byValue.events(f, p.slice(f).Back(values...)))
		}
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Store:
				put(instr.Addr, instr.Val)
			case *ssa.Call:
				if ssautil.Builtin(&instr.Call) == "copy" {
					put(instr.Call.Args[0], instr.Call.Args[1])
				} else if !instr.Call.IsInvoke() {
					put(instr.Call.Value, instr.Call.Args...)
				}
			}
		}
	}
	// Outputs of callees into memory that a parameter of f points to.
	for i, e := range f.Events {
		if e.Reads() {
			for _, v := range e.left {
				add(v, []int{i})
			}
		}
	}
	return out, reads
}

// pointedBy returns the value from which addr is computed by indexing, slicing and
// conversion, none of which leads to a location of its own.
func pointedBy(addr ssa.Value) ssa.Value {
	for {
		switch a := addr.(type) {
		case *ssa.IndexAddr:
			addr = a.X
		case *ssa.Slice:
			addr = a.X
		case *ssa.ChangeType:
			addr = a.X
		default:
			return addr
		}
	}
}

// leaves adds, to the values of a read of a callee, the arguments that have it as output.
func (e *Event) leaves(sum *fact.FuncSummary, args []ssa.Value) {
	for _, o := range sum.Outs {
		if o.Param >= len(args) || !slices.Contains(o.Reads, e.Index) {
			continue
		}
		switch args[o.Param].Type().Underlying().(type) {
		case *types.Signature:
			for _, prm := range parameters(args[o.Param]) {
				e.Values = append(e.Values, prm)
			}
		case *types.Pointer, *types.Slice:
			v := pointedBy(args[o.Param])
			e.Values, e.left = append(e.Values, v), append(e.left, v)
		}
	}
}

// parameters returns the parameters of a literal that is an argument.
func parameters(v ssa.Value) []*ssa.Parameter {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function).Params
	case *ssa.Function:
		return v.Params
	}
	return nil
}
