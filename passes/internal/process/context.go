package process

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"golang.org/x/tools/go/ssa"
)

// Contexts returns the locks that some or all callers hold when they call f. The paths
// are in the terms of f, or unknown where the lock has no path in f.
func (f *Func) Contexts() []Context { return f.contexts }

// findContexts propagates the locks held at call sites to the callees, along call chains:
// LOCKSHELD of the context/witness paper.
func (p *Processes) findContexts(sites [][]site) {
	for range limit.ContextRounds {
		changed := false
		for i, f := range p.Funcs {
			for _, s := range sites[i] {
				if s.fresh || s.caller.Test || s.call.Instr == nil || s.call.Kind != fact.Called || s.caller.Flow == nil {
					continue
				}
				if _, isGo := s.call.Instr.(*ssa.Go); isGo {
					continue
				}
				for _, g := range s.held {
					changed = p.addContext(f, s, Context{g, callgraph.Name(s.caller.Fn)}) || changed
				}
				for _, c := range s.caller.contexts {
					if !s.caller.Flow.Gives(c.Path) {
						changed = p.addContext(f, s, c) || changed
					}
				}
			}
		}
		if !changed {
			return
		}
	}
}

func (p *Processes) addContext(f *Func, s site, c Context) bool {
	if c.Class == "" || c.Mode == lockset.Once || len(f.contexts) >= limit.Contexts {
		return false
	}
	c.Path = p.inCallee(f, s, c.Path)
	if slices.ContainsFunc(f.contexts, func(d Context) bool { return d.Class == c.Class && d.Path == c.Path }) {
		return false
	}
	f.contexts = append(f.contexts, c)
	return true
}
