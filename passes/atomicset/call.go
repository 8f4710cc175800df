package atomicset

import (
	"fmt"
	"slices"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// calls translates a call of one of several functions.
func (b *builder) calls(s summary.Step, callees []*binding) {
	before := b.loose
	var after []int
	for _, c := range callees {
		b.loose = before
		in := &instance{f: c.fn, params: c.params, frees: c.frees, fns: c.fns}
		if !b.concerns(in) {
			after = append(after, b.loose...)
			continue
		}
		b.emit(model.Call, b.t.proc(in), s.Pos, "")
		after = append(after, b.loose...)
	}
	if len(callees) > 0 {
		slices.Sort(after)
		b.loose = slices.Compact(after)
	}
}

// concerns reports whether an instance may reach the object: through its arguments,
// through package variables, or by making it.
func (b *builder) concerns(in *instance) bool {
	known := func(p accesspath.Path) bool { return p != accesspath.Unknown }
	if slices.ContainsFunc(in.params, known) || slices.ContainsFunc(in.frees, known) {
		return true
	}
	if slices.ContainsFunc(in.fns, func(f *binding) bool { return f != nil }) {
		return true
	}
	wraps := func(op lockset.Op) bool { return op.Guard.Path.IsGlobal() }
	return in.f.Sum != nil && slices.ContainsFunc(in.f.Sum.Effects, wraps) || b.t.cands.leads(in.f, b.t.cand)
}

// bindings returns the functions that a call may run, with their captured variables.
func (b *builder) bindings(callees []summary.Callee) []*binding {
	out := make([]*binding, 0, len(callees))
	for _, c := range callees {
		if conditional(b.t.pkg.Of(c)) {
			continue
		}
		out = append(out, b.bind(c, 0))
	}
	return out
}

// conditional reports whether the effect of f on locks depends on a result of f, which
// the caller branches on: see Flow.Told.
func conditional(f *summary.Func) bool {
	return f.Sum != nil && slices.ContainsFunc(f.Sum.Effects, func(op lockset.Op) bool { return op.Outcome != lockset.Always })
}

func (b *builder) bind(c summary.Callee, depth int) *binding {
	out := &binding{fn: b.t.pkg.Of(c)}
	for j := range c.Func.Fn.Params {
		out.params = append(out.params, b.sym(c.Translate(accesspath.Param(j))))
	}
	for j := range c.Func.Fn.FreeVars {
		out.frees = append(out.frees, b.sym(c.Translate(accesspath.Free(j))))
	}
	out.fns = make([]*binding, len(c.Func.Fn.Params))
	out.key = fmt.Sprint(c.Func.Fn.String(), out.params, out.frees)
	for j := range out.fns {
		lits, param := c.Argument(j)
		switch {
		case param >= 0 && param < len(b.in.fns):
			out.fns[j] = b.in.fns[param]
		case len(lits) == 1 && depth < limit.LiteralDepth:
			out.fns[j] = b.bind(lits[0], depth+1)
		}
		if out.fns[j] != nil {
			out.key += "," + out.fns[j].key
		}
	}
	return out
}
