package callgraph

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// scan makes the pass over the instructions, and then what needs all of it.
func scan(g *Graph) {
	g.findMakers()
	p := &scanner{
		Graph: g, fields: make([][]*types.Var, len(g.Funcs)), usesParams: make([]bool, len(g.Funcs)), returnsPart: make([]bool, len(g.Funcs)),
		takes: make([]bool, len(g.Funcs)), gives: make([]bool, len(g.Funcs)),
		given: make(map[*ssa.Parameter][]*types.Var), filled: make(map[ssa.Value][]filling), locked: make(map[FuncID][]lockCall),
		changed: make(map[*ssa.Parameter]bool), allocated: make(map[*types.TypeName]bool),
	}
	for _, f := range p.Funcs {
		f.Keeps = p.keepsFunc(f.Fn)
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				p.scanInstr(f, instr)
			}
		}
	}
	p.markPassed()
	p.markParts()
	p.scanStoredParams()
	p.scanFieldCalls()
	p.markGiven()
	p.markBorrowers()
	p.inCallers()
	p.findRelevant()
}
