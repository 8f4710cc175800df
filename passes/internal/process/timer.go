package process

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A timer that an object keeps, and stops before it sets another one, runs its function one at a
// time: the next run is set by the last one, or when that is not going to come.
//
//	func (s *Session) touch() {
//		s.mu.Lock()
//		defer s.mu.Unlock()
//		if s.timer != nil { s.timer.Stop() }
//		s.timer = time.AfterFunc(s.idle, s.expire)
//	}
//
// A run that has begun when the timer is stopped may still go on. It is assumed to end before the
// next one, which comes only after the time that is set.

// keptTimer returns the objects, by the names that f has for them, of which one timer after the other
// runs f: all sites set a timer that is kept in the same field of the object.
func (p *Processes) keptTimer(f *Func, sites []site) (owned, bool) {
	var own owned
	var field *types.Var
	for i, s := range sites {
		at := p.timerField(s)
		if at == nil || s.caller != f && !looksAtTimer(s.caller, at) {
			return nil, false
		}
		var names owned
		for _, o := range p.operands(s) {
			if s.caller.Resolver().Resolve(o.value).Path == s.caller.Resolver().Resolve(at.X).Path {
				names = append(names, o.as)
			}
		}
		if i == 0 {
			own, field = names, ssautil.Field(at.X.Type(), at.Field)
		}
		if own = intersect(own, names); len(own) == 0 || ssautil.Field(at.X.Type(), at.Field) != field {
			return nil, false
		}
	}
	slices.Sort(own)
	return own, len(own) > 0
}

// timerField returns the address of the field that the timer of a site is kept in, or nil.
func (p *Processes) timerField(s site) *ssa.FieldAddr {
	call, ok := s.call.Instr.(*ssa.Call)
	if !ok || !IsTimer(call.Type()) {
		return nil
	}
	return KeptIn(call)
}

// KeptIn returns the address of the field that a value is stored in, or nil.
func KeptIn(v ssa.Value) *ssa.FieldAddr {
	for _, use := range ssautil.Uses(v) {
		if store, ok := use.(*ssa.Store); ok && store.Val == v {
			if at, ok := store.Addr.(*ssa.FieldAddr); ok {
				return at
			}
		}
	}
	return nil
}

// IsTimer reports whether values of type t are timers of package time.
func IsTimer(t types.Type) bool { return ssautil.IsNamed(t, "time", "Timer") }

// looksAtTimer reports whether a function stops the timer that is in a field, or asks whether there is
// one.
func looksAtTimer(f *Func, at *ssa.FieldAddr) bool {
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			load, ok := instr.(*ssa.UnOp)
			if !ok {
				continue
			}
			from, ok := load.X.(*ssa.FieldAddr)
			if ok && from.Field == at.Field && ssautil.SamePointer(from.X, at.X) && len(ssautil.Uses(load)) > 0 {
				return true
			}
		}
	}
	return false
}
