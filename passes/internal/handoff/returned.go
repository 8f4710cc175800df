package handoff

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// received returns the receptions of all functions: by themselves, and by functions that return
// the message to them.
//
//	func (q *queue) next() job { return <-q.ch }
func received(p *funcsum.Summaries) []*reception {
	var out []*reception
	by := callers(p)
	in := make(map[*funcsum.Body][]*reception)
	for _, f := range p.Funcs {
		if f.Flow == nil {
			continue
		}
		for _, r := range slices.Concat(receptions(f), removals(f)) {
			if r.resolve(p, by[f]); r.from != (origin{}) {
				out, in[f] = append(out, r), append(in[f], r)
			}
		}
	}
	for _, f := range p.Funcs {
		if f.Flow != nil {
			out = append(out, returned(p, f, in)...)
		}
	}
	return out
}

// returned returns the receptions by functions that f calls.
func returned(p *funcsum.Summaries, f *funcsum.Body, in map[*funcsum.Body][]*reception) []*reception {
	var out []*reception
	for _, c := range f.Calls {
		v, ok := c.Instr.(*ssa.Call)
		if !ok || c.Kind != fact.Called || p.Funcs[c.Callee] == f {
			continue
		}
		for _, r := range in[p.Funcs[c.Callee]] {
			if at := returnedTo(p, f, v, r); at != nil {
				out = append(out, at)
			}
		}
	}
	return out
}

// returnedTo returns the reception r at a call, if the callee returns the message, or nil.
func returnedTo(p *funcsum.Summaries, f *funcsum.Body, call *ssa.Call, r *reception) *reception {
	callees := p.Callees(f, &call.Call)
	i := slices.IndexFunc(callees, func(c callgraph.Callee) bool { return c.Fn == r.in.Node && !c.May && c.Via == nil })
	if i < 0 || r.scope != r.in {
		return nil
	}
	out := newReception(f, call, r.from, p.Translate(f, callees[i], r.path))
	for _, ret := range ssautil.Returns(r.in.Fn) {
		for j := range ret.Results {
			if x := ssautil.Result(call, j); x != nil && r.isCarrier(ssautil.Returned(ret, j)) {
				out.carry(x)
			}
		}
	}
	if len(out.carriers) == 0 {
		return nil
	}
	return out
}
