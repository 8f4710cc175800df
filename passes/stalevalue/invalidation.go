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

// sources returns the calls between the sections of the read and of the act on whose results it depends what the act puts in. They
// are given what the key of the element depends on.
func (p *pair) sources() []*ssa.Call {
	var out []*ssa.Call
	for _, in := range p.act.Inputs {
		for _, v := range p.d.f.Slice(in) {
			if call, _ := ssautil.CallOf(v); call != nil && !slices.Contains(out, call) && p.isBetween(call) && p.names(call) {
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

// names reports whether a call is given something on which the key of the act depends, if that has one, but for what the call itself
// has returned.
func (p *pair) names(call *ssa.Call) bool {
	keys := slices.DeleteFunc(slices.Clone(counterpart.KeysOf(p.act)), func(v ssa.Value) bool {
		return slices.ContainsFunc(p.d.f.Slice(v), func(from ssa.Value) bool { by, _ := ssautil.CallOf(from); return by == call })
	})
	return p.act.Key == "" || counterpart.Names(p.d.f, call, keys...)
}

// isBeforeSources reports whether an access is made before the store is asked.
func (p *pair) isBeforeSources(e *summary.Event) bool {
	return !slices.ContainsFunc(p.sources(), func(call *ssa.Call) bool {
		return !p.d.f.Order().Flows(e.Instr, call) || p.d.f.Order().Flows(call, e.Instr)
	})
}

// asksRemover: the act is decided, in its section, by something that all those write who remove.
//
//	if !f.stale { s.cache[k] = v } // save: delete(s.cache, k); s.running[k].stale = true
func (c *candidate) asksRemover() bool {
	removers := c.invalidations()
	return slices.ContainsFunc(c.act.Control, func(i int) bool {
		e := c.d.f.Events[i]
		return e != c.read && e.Loc != c.act.Loc && e.Reads() && c.d.oneSection(e, c.act) && !slices.ContainsFunc(removers, func(w summary.Writer) bool {
			return !c.d.writerMakes(&w, func(set *summary.Event) bool { return set.Writes() && set.Loc == e.Loc })
		})
	})
}

// removesFill: the section of the act removes the element again, if a version has changed.
//
//	s.cache[k] = v
//	if s.version != version { delete(s.cache, k) }
func (c *candidate) removesFill() bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e.Op&summary.Delete != 0 && sameCell(e, c.act) && c.d.oneSection(c.act, e)
	})
}
