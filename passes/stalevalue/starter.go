package stalevalue

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A starter is a function that starts a goroutine, and where.
type starter struct {
	f  *summary.Func
	at ssa.Instruction
}

// starters are the starters of the functions that goroutines run: that which is started, and those that it calls.
type starters map[*ssa.Function][]starter

// findStarters finds the starters of a package.
func findStarters(p *summary.Package) starters {
	out := make(starters)
	for _, f := range p.Funcs {
		if f.Flow == nil {
			continue
		}
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				if !funcsum.StartsAtOnce(instr) {
					continue
				}
				for _, step := range p.Steps(f)[instr] {
					if step.Kind != summary.SpawnStep {
						continue
					}
					for _, c := range step.Callees {
						out.add(c.Func.Fn, starter{f, instr})
					}
				}
			}
		}
	}
	return out
}

func (s starters) add(fn *ssa.Function, by starter) {
	run := map[*ssa.Function]bool{fn: true}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok {
				run[ssautil.Target(call.Common())] = true
			}
		}
	}
	delete(run, nil) // calls of function values
	for fn := range run {
		s[fn] = append(s[fn], by)
	}
}
