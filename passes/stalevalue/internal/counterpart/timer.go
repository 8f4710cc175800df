package counterpart

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// Renewals returns the renewals of the timers that run f.
func (p *Finder) Renewals(f *process.Func) []Renewal {
	if p.timers == nil {
		p.timers, p.renewals = make(map[*process.Func]*types.Var), make(map[*types.Var][]Renewal)
		for g := range p.Sharing() {
			p.findTimers(g)
		}
	}
	return p.renewals[p.timers[f]]
}

func (p *Finder) findTimers(f *process.Func) {
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok || call.Call.StaticCallee() == nil {
				continue
			}
			obj := ssautil.Object(call.Call.StaticCallee())
			switch {
			case obj == nil || obj.Pkg() == nil || obj.Pkg().Path() != "time":
			case stdlib.OfFunc(obj).Runs == stdlib.Spawns:
				if at := process.KeptIn(call); at != nil {
					p.noteCallbacks(f, call.Call.Args[1], ssautil.Field(at.X.Type(), at.Field))
				}
			case obj.Name() == "Reset" || obj.Name() == "Stop" && len(ssautil.Uses(call)) == 0:
				if field := loadedFrom(call.Call.Args[0]); field != nil {
					p.noteRenewal(f, call, field, obj.Name() == "Stop" && !replacesTimer(f, call))
				}
			}
		}
	}
}

// noteCallbacks records the function of a timer, and those that a literal calls.
func (p *Finder) noteCallbacks(f *process.Func, v ssa.Value, field *types.Var) {
	fn, closure, _ := p.FuncValue(f.Node, v)
	if fn == nil {
		return
	}
	for _, callee := range p.Static(fn, nil, closure) {
		if callee.Fn == nil {
			continue
		}
		p.timers[p.Of(callee.Fn)] = field
		for _, c := range callee.Fn.Calls {
			if c.Kind == fact.Called && fn.Parent() != nil {
				p.timers[p.Funcs[c.Callee]] = field
			}
		}
	}
}

// noteRenewal records a call of Reset, unless Stop has said that the timer has not run, or a call of Stop that does not ask.
func (p *Finder) noteRenewal(f *process.Func, reset *ssa.Call, field *types.Var, stops bool) {
	if slices.ContainsFunc(f.DirectBranches(reset.Block()), func(br *ssa.If) bool { return asksTimer(f, br.Cond) }) {
		return
	}
	p.noteClears(f, reset, field, stops)
	r := Renewal{Stops: stops}
	for _, e := range f.Events {
		if !e.Writes() || e.Within != nil {
			continue
		}
		for _, class := range heldWith(f, e, reset) {
			if e.Op&fact.Delete != 0 {
				return
			}
			if r.Pos.Pos == 0 {
				r.Writer = f.Writer(e)
			}
			r.Locks, r.Writes = append(r.Locks, class), append(r.Writes, e.Loc)
			if e.Const != "" && e.Const != "nil" && (stops || isZero(e.Const)) {
				if r.Marks == nil {
					r.Marks = make(map[accesspath.Location]string)
				}
				r.Marks[e.Loc] = e.Const
			}
		}
	}
	if stops && r.Marks == nil {
		return
	}
	if len(r.Writes) > 0 {
		p.renewals[field] = append(p.renewals[field], r)
	}
}

// isZero reports whether a constant is what a state is at first: the timer has not run yet. Another one may say that the timer is
// pending, and its function then takes that back.
func isZero(text string) bool { return text == "false" || text == "0" || text == `""` }

// noteClears records the locations that f sets to nil in the critical section in which it stops a timer for good. Locations of
// timers are left out: nil says there that no timer is pending.
func (p *Finder) noteClears(f *process.Func, stop *ssa.Call, field *types.Var, stops bool) {
	if !stops {
		return
	}
	var r Renewal
	for _, e := range f.Events {
		st, ok := e.Instr.(*ssa.Store)
		if !ok || e.Const != "nil" || e.Key != "" || process.IsTimer(st.Val.Type()) {
			continue
		}
		if classes := heldWith(f, e, stop); len(classes) > 0 {
			r.Writer, r.Locks, r.Clears = f.Writer(e), classes, append(r.Clears, e.Loc)
		}
	}
	if len(r.Clears) > 0 {
		p.renewals[field] = append(p.renewals[field], r)
	}
}

// heldWith returns the classes of the locks that are held from an access to an instruction, or from that to the access:
// by the function, or by all its callers.
func heldWith(f *process.Func, e *funcsum.Event, at ssa.Instruction) []accesspath.Location {
	var out []accesspath.Location
	for _, h := range e.Holds {
		if !h.Inner && !h.IsAtomic() && (f.Order().StaysBetween(e.Instr, at, h.Path) || f.Order().StaysBetween(at, e.Instr, h.Path)) {
			out = append(out, h.Class)
		}
	}
	for _, g := range f.Entry {
		out = append(out, g.Class)
	}
	return out
}

// replacesTimer reports whether a timer is stopped, whether or not it has run, and another one put into its place in the
// same critical section.
//
//	l.timer.Stop()
//	l.timer = time.AfterFunc(ttl, func() { s.expire(id) })
func replacesTimer(f *process.Func, stop *ssa.Call) bool {
	return slices.ContainsFunc(f.Events, func(e *funcsum.Event) bool {
		return e.Writes() && e.Const == "" && e.Path == f.Res.Resolve(stop.Call.Args[0]).Path && f.Order().Flows(stop, e.Instr) && len(heldWith(f, e, stop)) > 0
	})
}

// asksTimer reports whether a condition depends on the result of a method of a timer.
func asksTimer(f *process.Func, cond ssa.Value) bool {
	return slices.ContainsFunc(f.Slice(cond), func(v ssa.Value) bool {
		call, ok := v.(*ssa.Call)
		return ok && call.Call.StaticCallee() != nil && call.Call.StaticCallee().Signature.Recv() != nil && loadedFrom(call.Call.Args[0]) != nil && process.IsTimer(call.Call.Args[0].Type())
	})
}

// loadedFrom returns the field that a value is loaded from, or nil.
func loadedFrom(v ssa.Value) *types.Var {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return nil
	}
	at, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	return ssautil.Field(at.X.Type(), at.Field)
}
