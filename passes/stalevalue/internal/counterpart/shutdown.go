package counterpart

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A shutdown sets a flag of an object and then acts on what the object has, such as to close
// each connection:
//
//	s.closed = true
//	for c := range s.conns { c.Close() }
//
// A function that finds the flag clear, and adds a connection in a later critical section, may
// do so after the shutdown, which has not seen it.

// ShutsDown returns, by location that is acted on, the functions that set the flag before they act.
func (p *Finder) ShutsDown(flag accesspath.Location) map[accesspath.Location][]Shutdown {
	return pairs(p, &p.shutdowns, p.findShutdowns)[flag]
}

// findShutdowns records the flags that f sets, with the locations that it acts on later. A flag that is cleared is a shutdown
// of the object that has the flag, and not of an object that refers to this one.
func (p *Finder) findShutdowns(f *process.Func) {
	for _, mark := range f.Events {
		if !p.sets(f, mark) || p.Location(mark.Loc).Constant() {
			continue
		}
		for _, u := range p.used(f, 0) {
			if u.loc == mark.Loc || u.base.Root() != mark.Base.Root() || u.base.IsLocal() || p.clears(f, mark) && !u.base.Within(mark.Base) || !f.Order().Flows(mark.Instr, u.instr) && !inSection(f, u, mark) {
				continue
			}
			p.shutdowns.add(mark.Loc, u.loc, Shutdown{withLocks(f, mark), p.JoinedAt(f, u.instr), p.clears(f, mark)})
		}
	}
}

// inSection reports whether a use comes before the flag is set, in one section of a lock: others
// see no difference.
//
//	s.mu.Lock()
//	for c := range s.conns { c.Close() }
//	s.closed = true
//	s.mu.Unlock()
func inSection(f *process.Func, u list, mark *funcsum.Event) bool {
	return slices.ContainsFunc(mark.Holds, func(h funcsum.Hold) bool {
		return !h.Inner && slices.Contains(u.locks, h.Class) && f.Order().Flows(u.instr, mark.Instr) && !f.Order().EndsBetween(u.instr, mark.Instr, h.Path)
	})
}

// sets reports whether an access gives a flag a fixed value other than that of a new object:
// it is set to a constant, or a channel or context that stands for a flag is closed. A flag that
// says that the object is in use is set to zero:
//
//	s := &Server{running: 1}
//	atomic.StoreInt32(&s.running, 0)
func (p *Finder) sets(f *process.Func, e *funcsum.Event) bool {
	if _, deferred := e.Instr.(*ssa.Defer); deferred || !e.Writes() || e.Key != "" {
		return false // what is deferred comes last
	}
	if set := p.claimed(f, e); set != nil {
		e = set
	}
	return p.clears(f, e) || !e.Reads() && (funcsum.IsSignalFlag(e.Loc) || e.Op&fact.Fixed != 0 && !e.Empties())
}

// clears reports whether an access stores zero in a flag that is set elsewhere. A location that is given a computed value
// anywhere is no flag.
func (p *Finder) clears(f *process.Func, e *funcsum.Event) bool {
	if set := p.claimed(f, e); set != nil {
		e = set
	}
	return e.Op&fact.Fixed != 0 && (e.Const == "0" || e.Const == "false") && p.raised()[e.Loc]
}

// raised returns the flags: the locations that are given constants only, and one other than zero among them, be it in the
// construction of an object.
func (p *Finder) raised() map[accesspath.Location]bool {
	if p.nonzero != nil {
		return p.nonzero
	}
	p.nonzero = make(map[accesspath.Location]bool)
	computed := make(map[accesspath.Location]bool)
	for _, f := range p.Funcs {
		for _, e := range f.Events {
			switch {
			case !e.Writes() || e.Callee != nil:
			case e.Op&fact.Fixed != 0:
				p.nonzero[e.Loc] = p.nonzero[e.Loc] || e.Key == "" && isNonzero(e.Const)
			case p.claimed(f, e) == nil:
				computed[e.Loc] = true
			}
		}
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				store, ok := instr.(*ssa.Store)
				if !ok {
					continue
				}
				if text, fixed := ssautil.ConstText(store.Val); fixed && isNonzero(text) {
					p.nonzero[f.Resolver().Resolve(store.Addr).Loc] = true
				}
			}
		}
	}
	maps.DeleteFunc(p.nonzero, func(l accesspath.Location, _ bool) bool { return computed[l] })
	return p.nonzero
}

// isNonzero reports whether a constant is a value other than that of a new object.
func isNonzero(text string) bool {
	set := &funcsum.Event{Op: fact.Write | fact.Fixed, Const: text}
	return !set.Empties()
}

// claimed returns the write of a compare-and-swap that gives a flag a constant, in f or in a callee, or nil:
//
//	if !s.closed.CompareAndSwap(false, true) { return }
func (p *Finder) claimed(f *process.Func, e *funcsum.Event) *funcsum.Event {
	if e.Op&fact.Compare == 0 {
		return nil
	}
	own := e
	for _, inner := range p.Descent(f, e) {
		own = inner
	}
	if own.Callee != nil || len(own.Inputs) == 0 {
		return nil
	}
	text, fixed := ssautil.ConstText(own.Inputs[len(own.Inputs)-1])
	if !fixed {
		return nil
	}
	set := &funcsum.Event{Op: fact.Write | fact.Fixed, Const: text}
	set.Loc = e.Loc
	return set
}

// used returns the variables whose values, or elements, f calls or gives to a call.
func (p *Finder) used(f *process.Func, depth int) []list {
	k := listKey{f, depth}
	if known, ok := p.usedIn[k]; ok {
		return known
	}
	p.usedIn[k] = nil // for recursion
	p.usedIn[k] = append(p.collect(f, depth, p.calls, p.used), p.usedResults(f)...)
	return p.usedIn[k]
}

// usedResults returns the variables that callees of f return as they have read them, if f calls the
// result or gives it to a call.
//
//	for _, c := range s.drain() { c.Close() } // drain returns what s.conns was
func (p *Finder) usedResults(f *process.Func) []list {
	var out []list
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok || !p.isGiven(f, call) {
				continue
			}
			for _, c := range p.Callees(f.Body, &call.Call) {
				if c.Fn == nil || c.May || p.Of(c.Fn).State != funcsum.Built {
					continue
				}
				g := p.Of(c.Fn)
				for _, r := range returned(g) {
					if base := p.Translate(f.Body, c, r.Base); base != accesspath.Unknown {
						out = append(out, list{r.Loc, base, instr, g.Locks(r), r, g})
					}
				}
			}
		}
	}
	return out
}

// returned returns the reads of guarded variables whose value is a result of f.
func returned(f *process.Func) []*funcsum.Event {
	results := make(map[ssa.Value]bool)
	for _, ret := range ssautil.Returns(f.Fn) {
		for i := range ret.Results {
			v := ssautil.Returned(ret, i)
			results[v] = ssautil.IsReference(v.Type())
		}
	}
	return slices.DeleteFunc(slices.Clone(f.Events), func(e *funcsum.Event) bool {
		return e.Callee != nil || !e.Reads() || e.Writes() || e.Key != "" || len(f.Locks(e)) == 0 ||
			!slices.ContainsFunc(e.Values, func(v ssa.Value) bool { return results[v] })
	})
}

// calls reports whether the value that an access of f reads is called, has a method called, or
// is the argument of a call that is made for its effect. It is a reference: a number that is
// written to a file or a log is not acted on.
func (p *Finder) calls(f *process.Func, e *funcsum.Event) bool {
	return slices.ContainsFunc(e.Values, func(v ssa.Value) bool {
		return ssautil.IsReference(v.Type()) && (p.isGiven(f, v) || slices.ContainsFunc(elementsOf(v), func(x ssa.Value) bool {
			return ssautil.IsReference(x.Type()) && p.isGiven(f, x)
		}))
	})
}

// elementsOf returns the elements of a list or table that a function reads. They are read elsewhere than
// the list:
//
//	s.mu.Lock(); conns := s.conns; s.conns = nil; s.mu.Unlock()
//	for _, c := range conns { c.Close() }
func elementsOf(list ssa.Value) []ssa.Value {
	if list.Referrers() == nil {
		return nil
	}
	var out []ssa.Value
	for _, use := range *list.Referrers() {
		switch use := use.(type) {
		case *ssa.IndexAddr:
			for _, load := range ssautil.Uses(use) {
				if v, ok := load.(*ssa.UnOp); ok {
					out = append(out, v)
				}
			}
		case *ssa.Range:
			for _, next := range ssautil.Uses(use) {
				if v, ok := next.(*ssa.Next); ok {
					for i := 1; i <= 2; i++ {
						if x := ssautil.Result(v, i); x != nil {
							out = append(out, x)
						}
					}
				}
			}
		}
	}
	return out
}

// isGiven reports whether a call of f that is made for its effect depends on v.
func (p *Finder) isGiven(f *process.Func, v ssa.Value) bool {
	given, known := p.given[f]
	if !known {
		given = givenToCalls(f)
		p.given[f] = given
	}
	return given[v]
}

// givenToCalls returns the values that calls of f for their effect depend on.
func givenToCalls(f *process.Func) map[ssa.Value]bool {
	given := make(map[ssa.Value]bool)
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			c, ok := instr.(ssa.CallInstruction)
			if !ok || !isForEffect(c) {
				continue
			}
			for _, v := range append([]ssa.Value{c.Common().Value}, c.Common().Args...) {
				for _, from := range f.Slice(v) {
					given[from] = true
				}
			}
		}
	}
	return given
}

// isForEffect reports whether a call has no result or only an error, or its result is not used: it
// is made for what it does. Of the builtin functions that is close; an operation of sync or
// sync/atomic does nothing to its argument. A callback with a boolean result is called for its
// effect on the element; the result ends the iteration:
//
//	for c := range s.m { if !visit(c) { break } }
func isForEffect(c ssa.CallInstruction) bool {
	if b := ssautil.Builtin(c.Common()); b != "" {
		return b == "close"
	}
	if fn := c.Common().StaticCallee(); fn != nil {
		if obj, ok := fn.Object().(*types.Func); ok && stdlib.Declares(obj).Listed {
			return false
		}
	}
	if v := c.Value(); v != nil && len(*v.Referrers()) == 0 {
		return true
	}
	results := c.Common().Signature().Results()
	switch results.Len() {
	case 0:
		return true
	case 1:
		_, given := c.Common().Value.(*ssa.Parameter)
		result := results.At(0).Type()
		return ssautil.IsError(result) || given && !c.Common().IsInvoke() && types.Identical(result, types.Typ[types.Bool])
	}
	return false
}
