package stalevalue

import (
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"github.com/atomvet/atomvet/passes/summary"
)

// An act need not be a write. A function that starts a goroutine, sends to a channel, adds to a
// sync.WaitGroup or waits on a condition variable, as it has found a variable to have a certain
// value, has an effect that cannot be taken back, and that is wrong if it happens twice, or
// after another goroutine has changed the variable:
//
//	s.mu.Lock(); running := s.running; s.mu.Unlock()
//	if !running {
//		go s.run() // sets s.running: two callers start two goroutines
//	}
//
//	s.mu.Lock(); closed := s.closed; s.mu.Unlock()
//	if !closed {
//		s.events <- e // Close sets s.closed and closes s.events: a send to it panics
//	}
//
// An effect becomes the act of candidates, to which the rules apply as to others. The decision
// is a control dependence in the function itself. The effect may be in a function that it
// calls, if that decides nothing by what is shared; those that this one calls are not followed.

// A kind of effect.
type effectKind uint8

const (
	starts effectKind = iota // of a goroutine with functions of the package
	sends                    // to a channel
	adds                     // to a sync.WaitGroup
	pauses                   // for a condition variable to be signaled
	uses                     // an object in a variable, by a method
)

// noun returns the word for an effect of the kind.
func (k effectKind) noun() string { return [...]string{"start", "send", "addition", "wait", "use"}[k] }

// An effect is an act that is no write of a location. Its event has the instruction, the locks
// that are held there, and the reads that it is control dependent on; its location is the
// channel or the group.
type effect struct {
	*summary.Event
	kind    effectKind
	started []started
	mutex   accesspath.Location // the class of the one that is released during a wait
	in      *summary.Func       // the function that has the effect
}

// A started is a function that a goroutine is started with, and the paths of its summary in the
// terms of the starter.
type started struct {
	f   *summary.Func
	sum *summary.FuncSummary
	translation
}

// A translation rewrites paths and keys of a function in the terms of another one that calls it.
type translation struct {
	path func(accesspath.Path) accesspath.Path
	key  func(accesspath.Key) accesspath.Key
}

// after returns the translation that comes after another one.
func (t translation) after(inner translation) translation {
	return translation{
		func(p accesspath.Path) accesspath.Path { return t.path(inner.path(p)) },
		func(k accesspath.Key) accesspath.Key { return t.key(inner.key(k)) },
	}
}

// onRead reports whether the effect is an act on what was read, and on no channel, group or other object.
func (e *effect) onRead() bool { return e.kind == starts || e.kind == pauses }

// effects returns the effects of the function, and of those that it calls, which are decided by
// what it has read.
func (d *detector) effects() []effect {
	var out []effect
	for _, e := range d.own.of(d, d.f) {
		if e.isOfParam() {
			continue
		}
		if e.Control = d.deciding(d.f, e.Instr); len(e.Control) > 0 {
			out = append(out, e)
		}
	}
	for _, c := range d.f.Calls {
		g := d.pkg.Funcs[c.Callee]
		if c.Kind != summary.Called || c.Instr == nil || g == d.f || g.Flow == nil || len(d.own.of(d, g)) == 0 {
			continue
		}
		if control := d.deciding(d.f, c.Instr); len(control) > 0 {
			out = append(out, d.effectsOfCall(c.Instr, g, control)...)
		}
	}
	return out
}

// effectsOfCall returns the effects of a function that is called at an instruction, if it does
// not decide about them by what is shared. A function that waits in a loop of its caller, and asks again for a part of
// what the loop asks for, does not know of the rest:
//
//	for q.busy() && q.draining() { q.waitIdle() } // which waits while q is busy
func (d *detector) effectsOfCall(at ssa.Instruction, g *summary.Func, control []int) []effect {
	var out []effect
	for _, e := range d.own.of(d, g) {
		anew := make(map[accesspath.Location]bool)
		for _, i := range d.deciding(g, e.Instr) {
			if len(g.Events[i].Holds) > 0 {
				anew[g.Events[i].Loc] = true
			}
		}
		left := slices.DeleteFunc(slices.Clone(control), func(i int) bool {
			r := d.f.Events[i]
			return anew[r.Loc] || len(anew) > 0 && !d.f.Order().Flows(at, r.Instr)
		})
		if len(anew) > 0 && (e.kind != pauses || len(left) == len(control)) {
			continue
		}
		if len(left) == 0 {
			continue
		}
		if t, ok := d.translation(at, g); ok {
			own := e.at(at, t, left)
			if own.isOfParam() {
				own.Ref = d.argumentOf(at, e.Path)
			}
			if !own.isOfParam() {
				out = append(out, own)
			}
		}
	}
	return out
}

// argumentOf returns what a call passes for the parameter with the given path in the callee.
//
//	newReader(&b.readers) // readers.Add(1)
func (d *detector) argumentOf(at ssa.Instruction, param accesspath.Path) accesspath.Ref {
	if call, ok := at.(ssa.CallInstruction); ok {
		for i, arg := range call.Common().Args {
			if param != accesspath.Param(i) {
				continue
			}
			ref := d.f.Res.Resolve(arg)
			if loc := callgraph.ChanLocation(arg); loc != "" {
				ref.Loc, ref.Base = loc, ref.Path.Parent()
			}
			return ref
		}
	}
	return accesspath.Ref{}
}

// isOfParam reports whether an effect is on a channel or group that is a parameter, which only a caller can name.
func (e *effect) isOfParam() bool { return (e.kind == sends || e.kind == adds) && e.Loc == "" }

// translation returns the translation from g to the function which calls it, if the call is
// known to be one of g.
func (d *detector) translation(at ssa.Instruction, g *summary.Func) (translation, bool) {
	for _, s := range d.pkg.Steps(d.f)[at] {
		if i := slices.IndexFunc(s.Callees, func(c summary.Callee) bool { return d.pkg.Of(c) == g }); s.Kind == summary.CallStep && i >= 0 {
			return translation{s.Callees[i].Translate, s.Callees[i].TranslateKey}, true
		}
	}
	return translation{}, false
}

// at returns the effect in the terms of the caller of its function.
func (e effect) at(call ssa.Instruction, t translation, control []int) effect {
	own := *e.Event
	own.Instr, own.Ord, own.Control, own.Holds = call, ssautil.Ordinal(call), control, nil
	own.Pos = summary.Pos{Pos: ssautil.Pos(call), Text: e.Pos.Text}
	own.Path, own.Base = t.path(e.Path), t.path(e.Base)
	e.Event = &own
	e.started = slices.Clone(e.started)
	for i, s := range e.started {
		e.started[i].translation = t.after(s.translation)
	}
	return e
}

// deciding returns the reads that an instruction of f is control dependent on, as indexes into
// the accesses of f.
func (d *detector) deciding(f *summary.Func, at ssa.Instruction) []int {
	var out []int
	for _, br := range f.Branches(&summary.Event{Instr: at}) {
		slice := f.Slice(br.Cond)
		for i, r := range f.Events {
			if r.Reads() && r.Instr != at && slice.HasAny(r.Values) && !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	slices.Sort(out)
	return out
}

// ownEffects caches the effects that functions of the package have themselves, whatever decides
// about them.
type ownEffects map[*summary.Func][]effect

func (o ownEffects) of(d *detector, f *summary.Func) []effect {
	list, ok := o[f]
	if !ok {
		list = d.findEffects(f)
		o[f] = list
	}
	return slices.Clone(list)
}

func (d *detector) findEffects(f *summary.Func) []effect {
	var out []effect
	spawns := spawnsOf(f)
	f.Flow.Walk(func(instr ssa.Instruction, ord int, st *lockset.State) {
		for _, e := range slices.Concat(d.startsAt(f, instr, spawns), d.waitsAt(f, instr), onObject(f, instr), d.usesAt(f, instr)) {
			e.in = f
			e.Instr, e.Ord, e.Op, e.Pos = instr, ord, summary.Write, summary.Pos{Pos: ssautil.Pos(instr)}
			e.Holds = f.HoldsAt(st)
			out = append(out, e)
		}
	})
	return out
}

// startsAt returns the effect of an instruction that starts a goroutine.
func (d *detector) startsAt(f *summary.Func, instr ssa.Instruction, spawns map[ssa.Instruction]bool) []effect {
	if !spawns[instr] {
		return nil
	}
	e := effect{Event: &summary.Event{}, kind: starts}
	for _, s := range d.pkg.Steps(f)[instr] {
		if s.Kind == summary.SpawnStep {
			for _, c := range s.Callees {
				e.started = append(e.started, d.begun(started{d.pkg.Of(c), c.Func.Sum, translation{c.Translate, c.TranslateKey}}))
			}
		}
	}
	if len(e.started) == 0 || slices.ContainsFunc(e.started, func(s started) bool { return s.sum == nil }) {
		return nil
	}
	return []effect{e}
}

// begun returns what a goroutine does that is started with a literal which only calls a function of the package: that function.
//
//	go func() { c.reconnect() }()
func (d *detector) begun(s started) started {
	call := ssautil.OnlyCall(s.f.Fn)
	if call == nil || s.f.Fn.Parent() == nil {
		return s
	}
	for _, st := range d.pkg.Steps(s.f)[call] {
		if st.Kind == summary.CallStep && len(st.Callees) == 1 && st.Callees[0].Func.Sum != nil {
			c := st.Callees[0]
			return started{d.pkg.Of(c), c.Func.Sum, s.after(translation{c.Translate, c.TranslateKey})}
		}
	}
	return s
}

// spawnsOf returns the instructions of f that start goroutines with functions of the package.
func spawnsOf(f *summary.Func) map[ssa.Instruction]bool {
	out := make(map[ssa.Instruction]bool)
	for _, c := range f.Calls {
		if c.Kind == summary.Spawned && c.Instr != nil {
			out[c.Instr] = true
		}
	}
	return out
}

// waitsAt returns the effect of an instruction that waits on a condition variable.
func (d *detector) waitsAt(f *summary.Func, instr ssa.Instruction) []effect {
	for _, op := range f.Ops()[instr] {
		if mutex := d.others.Mutex(f, op.Guard); op.Waits && mutex != "" {
			return []effect{{Event: &summary.Event{}, kind: pauses, mutex: mutex}}
		}
	}
	return nil
}

// usesAt returns the effect of a call of a method of an object in a variable, which some function closes.
func (d *detector) usesAt(f *summary.Func, instr ssa.Instruction) []effect {
	if r := d.others.UseAt(f, instr); r != nil {
		return []effect{{Event: &summary.Event{Ref: r.Ref}, kind: uses}}
	}
	return nil
}

// onObject returns the effects of an instruction on channels and groups.
func onObject(f *summary.Func, instr ssa.Instruction) []effect {
	var out []effect
	on := func(kind effectKind, v ssa.Value, loc accesspath.Location) {
		_, isParam := v.(*ssa.Parameter)
		if ref := f.Res.Resolve(v); loc != "" || isParam {
			ref.Loc, ref.Base = loc, ref.Path.Parent()
			out = append(out, effect{Event: &summary.Event{Ref: ref}, kind: kind})
		}
	}
	switch instr := instr.(type) {
	case *ssa.Send:
		on(sends, instr.Chan, callgraph.ChanLocation(instr.Chan))
	case *ssa.Select:
		for _, s := range instr.States {
			if s.Dir == types.SendOnly {
				on(sends, s.Chan, callgraph.ChanLocation(s.Chan))
			}
		}
	case *ssa.Call:
		if addsToGroup(&instr.Call) {
			group := instr.Call.Args[0]
			on(adds, group, f.Res.Resolve(group).Loc)
		}
	}
	return out
}

// addsToGroup reports whether a call adds to a sync.WaitGroup. One that subtracts is a Done.
func addsToGroup(c *ssa.CallCommon) bool {
	fn := ssautil.Target(c)
	if fn == nil || len(c.Args) < 2 {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || !stdlib.OfFunc(obj).Group && !stdlib.OfFunc(obj).Counts {
		return false
	}
	n, known := c.Args[1].(*ssa.Const)
	return !known || n.Value == nil || constant.Sign(n.Value) > 0
}

// readsAt reports whether f looks at a location by itself.
func readsAt(f *summary.Func, l accesspath.Location) bool {
	return slices.ContainsFunc(f.Events, func(e *summary.Event) bool { return e.Reads() && e.Loc == l })
}
