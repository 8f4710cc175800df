package funcsum

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Mutations returns, for each function, the bit set of the parameters through which the
// function or a callee writes.
func (p *Summaries) Mutations() []uint32 {
	sets := make([]uint32, len(p.Funcs))
	params := make([]map[*ssa.Parameter]int, len(p.Funcs))
	for i, f := range p.Funcs {
		params[i] = make(map[*ssa.Parameter]int)
		for j, prm := range f.Fn.Params {
			if j < fact.MaxParams && ssautil.IsReference(prm.Type()) {
				params[i][prm] = j
			}
		}
	}
	for range limit.MutationRounds {
		for i, f := range p.Funcs {
			if len(params[i]) == 0 {
				continue
			}
			mark := func(v ssa.Value) {
				if prm := rootParam(v); prm != nil {
					if j, ok := params[i][prm]; ok {
						sets[i] |= 1 << j
					}
				}
			}
			for _, b := range f.Fn.Blocks {
				for _, instr := range b.Instrs {
					switch instr := instr.(type) {
					case *ssa.Store:
						mark(instr.Addr)
					case *ssa.MapUpdate:
						mark(instr.Map)
					case *ssa.Call:
						p.mutatedArgs(instr, sets, mark)
					}
				}
			}
		}
	}
	return sets
}

// mutatedArgs marks the arguments through which a callee writes.
func (p *Summaries) mutatedArgs(c *ssa.Call, sets []uint32, mark func(ssa.Value)) {
	switch v := c.Call.Value.(type) {
	case *ssa.Builtin:
		switch v.Name() {
		case "delete", "clear", "copy":
			mark(c.Call.Args[0])
		}
	case *ssa.Function:
		for _, cal := range p.Static(v, c.Call.Args, nil) {
			set := uint32(0)
			if cal.Fn != nil {
				set = sets[cal.Fn.ID]
			} else if cal.Sum != nil {
				set = cal.Sum.Mutates
			}
			for i, a := range cal.Args {
				if i < fact.MaxParams && set&(1<<i) != 0 {
					mark(a)
				}
			}
		}
	}
}

// rootParam returns the parameter through which the memory at v is reached, or nil.
func rootParam(v ssa.Value) *ssa.Parameter {
	prm, _ := origin(v).(*ssa.Parameter)
	return prm
}

// origin returns the value through which the memory at an address is reached.
func origin(v ssa.Value) ssa.Value {
	for range limit.MutationSteps {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.Slice:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Lookup:
			v = x.X
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return v
			}
			v = x.X
		default:
			return v
		}
	}
	return v
}
