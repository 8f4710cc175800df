package funcsum

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
)

// StartedAt returns the functions that run in goroutines which an instruction of f starts: by a go statement, or as arguments of a
// function such as time.AfterFunc.
func (p *Summaries) StartedAt(f *Body, instr ssa.Instruction) []callgraph.Callee {
	switch instr := instr.(type) {
	case *ssa.Go:
		return p.Callees(f, &instr.Call)
	case *ssa.Call:
		var out []callgraph.Callee
		if p.ArgumentKind(instr) == fact.Spawned {
			for i := range instr.Call.Args {
				out = append(out, p.Argument(f.Node, callgraph.Callee{Args: instr.Call.Args}, i)...)
			}
		}
		return out
	}
	return nil
}
