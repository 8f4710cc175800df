package stalevalue

import (
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

// An act need not be a write. A function that starts a goroutine, sends to a channel or adds
// to a sync.WaitGroup, as it has found a variable to have a certain value, has an effect that
// cannot be taken back, and that is wrong if it happens twice, or after another goroutine has
// changed the variable:
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
// An effect becomes the act of candidates, to which the rules apply as to others. That it
// depends on the decision is must-information only as to control dependence in the function
// itself; what a callee does is not followed.

// An effect is an act that is no write of a location. Its event has the instruction, the locks
// that are held there, and the reads that it is control dependent on; its location is the
// channel or the group.
type effect struct {
	*summary.Event
	starts []summary.Callee // the functions that a goroutine is started with
	// in is the function that waits on a condition variable, and mutex the class of the mutex
	// that it gives up meanwhile.
	in    *summary.Func
	mutex accesspath.Location
}

// onRead reports whether the effect is an act on what was read, and on no channel or group.
func (e *effect) onRead() bool { return len(e.starts) > 0 || e.in != nil }

// effects returns the effects of the function that are decided by what it has read.
func (d *detector) effects() []effect {
	var out []effect
	spawns, waits := d.spawns(), d.waiting()
	d.f.Flow.Walk(func(instr ssa.Instruction, ord int, st *lockset.State) {
		for _, e := range append(d.effectsOf(instr, spawns), waits[instr]...) {
			e.Instr, e.Ord, e.Op, e.Pos = instr, ord, summary.Write, summary.Pos{Pos: ssautil.Pos(instr)}
			if e.Control = d.deciding(e.Event); len(e.Control) == 0 {
				continue
			}
			for _, h := range st.Held {
				if d.f.Flow.Holds(h) {
					e.Holds = append(e.Holds, summary.Hold{Guard: h.Guard, Sites: h.Sites})
				}
			}
			out = append(out, e)
		}
	})
	return out
}

// effectsOf returns the effects of an instruction, but for waits.
func (d *detector) effectsOf(instr ssa.Instruction, spawns map[ssa.Instruction]bool) []effect {
	var out []effect
	if spawns[instr] {
		for _, s := range d.pkg.Steps(d.f)[instr] {
			if s.Kind == summary.SpawnStep {
				out = append(out, effect{Event: &summary.Event{}, starts: s.Callees})
			}
		}
	}
	on := func(v ssa.Value, loc accesspath.Location) {
		if ref := d.f.Res.Resolve(v); loc != "" {
			ref.Loc, ref.Base = loc, ref.Path.Parent()
			out = append(out, effect{Event: &summary.Event{Ref: ref}})
		}
	}
	switch instr := instr.(type) {
	case *ssa.Send:
		on(instr.Chan, callgraph.ChanLocation(instr.Chan))
	case *ssa.Select:
		for _, s := range instr.States {
			if s.Dir == types.SendOnly {
				on(s.Chan, callgraph.ChanLocation(s.Chan))
			}
		}
	case *ssa.Call:
		if addsToGroup(&instr.Call) {
			group := instr.Call.Args[0]
			on(group, d.f.Res.Resolve(group).Loc)
		}
	}
	return out
}

// addsToGroup reports whether a call adds to a sync.WaitGroup.
func addsToGroup(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	if fn == nil || len(c.Args) < 2 {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	return ok && (stdlib.OfFunc(obj).Group || stdlib.OfFunc(obj).Counts)
}

// spawns returns the instructions that start goroutines with functions of the package.
func (d *detector) spawns() map[ssa.Instruction]bool {
	out := make(map[ssa.Instruction]bool)
	for _, c := range d.f.Calls {
		if c.Kind == summary.Spawned && c.Instr != nil {
			out[c.Instr] = true
		}
	}
	return out
}

// deciding returns the reads that an effect is control dependent on, as indexes into the
// accesses of the function.
func (d *detector) deciding(e *summary.Event) []int {
	var out []int
	for _, cond := range d.f.Conditions(e) {
		slice := d.f.Slice(cond)
		for i, r := range d.f.Events {
			if r.Reads() && r.Instr != e.Instr && slice.HasAny(r.Values) && !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	slices.Sort(out)
	return out
}

// effectsAfter returns the candidates with an effect that the read decides about.
func (p pair) effectsAfter(effects []effect) []*candidate {
	var out []*candidate
	for i := range effects {
		e := &effects[i]
		if !slices.Contains(e.Control, p.readIndex) {
			continue
		}
		p.act, p.effect, p.decides = e.Event, e, true
		if e.onRead() {
			own := *e.Event
			own.Ref = p.read.Ref
			p.act = &own
		}
		if r := effectLinks.Reporting(p.d.judge, &p); r != nil {
			out = append(out, &candidate{p, linkOf(r.ID)})
		}
	}
	return out
}

// claimsEffect: the effect is decided by a test-and-set after the read, in one section or one
// atomic operation.
//
//	if s.get(k) == nil {
//		x := s.getOrAdd(k)
//		if x.watched.CompareAndSwap(false, true) { go s.watch(x) }
//	}
func (c *candidate) claimsEffect() bool {
	return c.decidedBy(func(e *summary.Event, _ int) bool {
		return (e.Writes() || c.d.owned(e)) && c.isLater(e) && !c.fails(e)
	})
}
