package handoff

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// returned adds the receptions of functions that return the message to those who call them.
//
//	func (q *queue) next() job { return <-q.ch }
func (h *Handoffs) returned() {
	for _, f := range h.p.Funcs {
		if f.Flow == nil {
			continue
		}
		for _, c := range f.Calls {
			v, ok := c.Instr.(*ssa.Call)
			if !ok || c.Kind != fact.Called || h.p.Funcs[c.Callee] == f {
				continue
			}
			for _, r := range h.in[h.p.Funcs[c.Callee]] {
				h.returnedTo(f, v, r)
			}
		}
	}
}

// returnedTo adds the reception r at a call, if the callee returns the message.
func (h *Handoffs) returnedTo(f *funcsum.Body, call *ssa.Call, r *reception) {
	callees := h.p.Callees(f, &call.Call)
	i := slices.IndexFunc(callees, func(c callgraph.Callee) bool { return c.Fn == r.in.Node && !c.May && c.Via == nil })
	if i < 0 {
		return
	}
	out := &reception{in: f, instr: call, from: r.from, path: h.p.Translate(f, callees[i], r.path)}
	for _, b := range r.in.Fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for j, v := range ret.Results {
			if x := ssautil.Result(call, j); x != nil && r.isCarrier(v) {
				out.carry(x)
			}
		}
	}
	if len(out.carriers) > 0 {
		h.receivers[r.from] = append(h.receivers[r.from], out)
	}
}
