package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// invalidations returns the functions that remove what the act puts in, as they change the store that it comes from.
func (p *pair) invalidations() []summary.Writer {
	if p.act.Op&(summary.Delete|summary.Content) != 0 || p.act.Const != "" {
		return nil
	}
	var out []summary.Writer
	for _, call := range p.sources() {
		if store := counterpart.StoreOf(p.d.f, call); store != "" {
			out = append(out, p.d.others.Invalidates(store, p.act.Loc)...)
		}
	}
	return slices.DeleteFunc(out, func(by summary.Writer) bool { return by.Fn == p.d.f.ID })
}

// sources returns the calls between the sections of the read and of the act on whose results it depends what the act puts in.
func (p *pair) sources() []*ssa.Call {
	var out []*ssa.Call
	for _, in := range p.act.Inputs {
		for _, v := range p.d.f.Slice(in) {
			if call, _ := ssautil.CallOf(v); call != nil && !slices.Contains(out, call) && p.isBetween(call) {
				out = append(out, call)
			}
		}
	}
	return out
}

// isBetween reports whether a call is made after the section of the read, and before that of the act.
func (p *pair) isBetween(call *ssa.Call) bool {
	return p.d.endsBefore(p.read, call, p.guard) && p.d.f.Order().Flows(call, p.act.Instr) && !p.d.inSectionOf(call, p.act, func(summary.Hold) bool { return true })
}

// isBeforeSources reports whether an access is made before the store is asked.
func (p *pair) isBeforeSources(e *summary.Event) bool {
	return !slices.ContainsFunc(p.sources(), func(call *ssa.Call) bool {
		return !p.d.f.Order().Flows(e.Instr, call) || p.d.f.Order().Flows(call, e.Instr)
	})
}
