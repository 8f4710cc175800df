package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// fillsOutdated: a cache is filled with what a store has answered before, while others change the store and remove from the
// cache.
//
//	v, ok := s.cached(k)          // under s.mu
//	if !ok {
//		v = s.db.Fetch(k)         // others: s.db.Save(k, v); s.mu.Lock(); delete(s.cache, k); s.mu.Unlock()
//		s.mu.Lock(); s.cache[k] = v; s.mu.Unlock()
//	}
//
// The removal finds nothing there yet, and what is put in afterwards is what the store had before. A claim of the key keeps
// out others who fill it, and nobody who removes.
func (p *pair) fillsOutdated() bool {
	return !p.data && p.decides && (p.foundNothing() || p.toldNothing()) && len(p.invalidations()) > 0
}

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
