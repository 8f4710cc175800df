package handoff

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
)

// A caller is the only call of a function in the package, or the only go statement with it. What
// the function knows as a parameter has another name there.
//
//	go f.track(f.ch)
type caller struct {
	in     *funcsum.Body
	callee callgraph.Callee
}

// callers returns the functions that are called in one place, with that.
func callers(p *funcsum.Summaries) map[*funcsum.Body]*caller {
	out := make(map[*funcsum.Body]*caller)
	for _, f := range p.Funcs {
		for _, c := range f.Calls {
			g := p.Funcs[c.Callee]
			if _, again := out[g]; again || c.Instr == nil || f.Flow == nil || f == g {
				out[g] = nil
				continue
			}
			callees := p.Callees(f, c.Instr.Common())
			i := slices.IndexFunc(callees, func(c callgraph.Callee) bool { return c.Fn == g.Node && !c.May && c.Via == nil })
			out[g] = nil
			if i >= 0 {
				out[g] = &caller{f, callees[i]}
			}
		}
	}
	return out
}

// resolve sets the origin of a channel that is a parameter, by the caller.
func (r *reception) resolve(p *funcsum.Summaries, by *caller) {
	prm, ok := r.channel.(*ssa.Parameter)
	if !ok || by == nil {
		return
	}
	i := slices.Index(r.in.Fn.Params, prm)
	if i < 0 || i >= len(by.callee.Args) {
		return
	}
	ch := by.callee.Args[i]
	r.from, r.path, r.scope = originOf(ch), by.in.Res.Resolve(ch).Path, by.in
	r.outward = func(path accesspath.Path) accesspath.Path { return p.Translate(by.in, by.callee, path) }
}
