package counterpart

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// Waking: a function changes a variable and then wakes the goroutines that wait on a
// condition variable, all of it without the mutex of the condition variable.
//
//	s.closed.Store(true)
//	s.cond.Broadcast()
//
// A waiter that has tested the variable and has not yet begun to wait holds the mutex. The
// function does not have to wait for it, and its wake-up reaches nobody.

// A Waking is such a function.
type Waking struct {
	fact.Writer // the change
	// Signal is the position of the call that wakes.
	Signal fact.Pos
}

// Wakes returns the functions that change location l and then wake the waiters of a
// condition variable with the given mutex, without the mutex.
func (p *Finder) Wakes(mutex, l accesspath.Location) []Waking {
	if p.wakings == nil {
		p.wakings = make(map[accesspath.Location]map[accesspath.Location][]Waking)
		p.wakesOf = make(map[wakeKey][]wake)
		for f := range p.Sharing() {
			p.findWakings(f)
		}
	}
	return p.wakings[mutex][l]
}

// Mutex returns the class of the mutex of a condition variable, by the guard that Wait
// releases, or "" if it is unknown. A mutex that only the condition variable refers to is
// identified by the location of the condition variable.
func (p *Finder) Mutex(f *process.Func, g lockset.Guard) accesspath.Location {
	cond, own := strings.CutSuffix(string(g.Path), "."+condLock)
	if !own || g.Class.Type() != "Cond" {
		return g.Class
	}
	loc := f.Res.Locate(accesspath.Path(cond))
	if loc == "" && accesspath.Path(cond).IsGlobal() {
		loc = accesspath.Location(cond)
	}
	if mutex, known := p.Conds[loc]; !known || mutex != "" {
		return ""
	}
	return loc + "." + condLock
}

// condLock is the field of a sync.Cond with its mutex.
const condLock = "L"

// A wake is a call of Signal or Broadcast without the mutex, at an instruction of a function
// or in its callees.
type wake struct {
	mutex accesspath.Location
	cond  accesspath.Path
	instr ssa.Instruction
	pos   fact.Pos
}

type wakeKey struct {
	f     *process.Func
	depth int
}

// wakes returns the wakes of f.
func (p *Finder) wakes(f *process.Func, depth int) []wake {
	k := wakeKey{f, depth}
	known, ok := p.wakesOf[k]
	if !ok {
		known = p.findWakes(f, depth)
		p.wakesOf[k] = known
	}
	return known
}

func (p *Finder) findWakes(f *process.Func, depth int) []wake {
	var out []wake
	f.Flow.Walk(func(instr ssa.Instruction, _ int, st *lockset.State) {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			return
		}
		if _, spawned := instr.(*ssa.Go); spawned {
			return
		}
		for _, w := range p.wakesAt(f, call, depth) {
			if !p.mayHold(f, instr, st, w.mutex) {
				out = append(out, w)
			}
		}
	})
	return out
}

// wakesAt returns the wakes of a call, whatever locks are held there.
func (p *Finder) wakesAt(f *process.Func, call ssa.CallInstruction, depth int) []wake {
	var out []wake
	for _, c := range p.Callees(f.Body, call.Common()) {
		switch {
		case c.Obj != nil && stdlib.OfFunc(c.Obj).Wakes && len(c.Args) > 0:
			l := f.Res.Field(c.Args[0], condLock)
			if mutex := p.Mutex(f, lockset.Guard{Path: l.Path, Class: l.Loc}); mutex != "" {
				out = append(out, wake{mutex, f.Res.Resolve(c.Args[0]).Path, call, p.Pos(ssautil.Pos(call))})
			}
		case c.Fn == nil || c.May || depth == limit.NotifyDepth || c.Fn == f.Node || p.Of(c.Fn).State != funcsum.Built:
		default:
			for _, w := range p.wakes(p.Of(c.Fn), depth+1) {
				w.cond, w.instr = p.Translate(f.Body, c, w.cond), call
				out = append(out, w)
			}
		}
	}
	return out
}

// mayHold reports whether a mutex may be held at an instruction. What is deferred runs at a
// return: the mutex may be held there if the function takes it at all.
func (p *Finder) mayHold(f *process.Func, instr ssa.Instruction, st *lockset.State, mutex accesspath.Location) bool {
	is := func(g lockset.Guard) bool { return p.Mutex(f, g) == mutex }
	if _, deferred := instr.(*ssa.Defer); deferred && slices.ContainsFunc(f.Takings(), func(t funcsum.Taking) bool { return is(t.Guard) }) {
		return true
	}
	return slices.ContainsFunc(st.Held, func(h lockset.Held) bool { return is(h.Guard) }) || slices.ContainsFunc(f.Entry, is)
}

func (p *Finder) findWakings(f *process.Func) {
	for _, k := range p.wakes(f, 0) {
		for _, w := range changes(f) {
			if w.Instr == k.instr || !comesAfter(f, w.Instr, k.instr) || !alike(w.Base, k.cond) || p.takenFrom(f, w, k) {
				continue
			}
			by := withLocks(f, w)
			p.addWaking(k.mutex, w.Loc, Waking{by, k.pos})
		}
	}
}

func (p *Finder) addWaking(mutex, l accesspath.Location, w Waking) {
	if p.wakings[mutex] == nil {
		p.wakings[mutex] = make(map[accesspath.Location][]Waking)
	}
	list := p.wakings[mutex][l]
	for i, o := range list {
		if o.Fn == w.Fn && o.Signal == w.Signal {
			if w.Pos.Pos > o.Pos.Pos {
				list[i] = w // nearer to the signal
			}
			return
		}
	}
	p.wakings[mutex][l] = append(list, w)
}

// comesAfter reports whether control comes from one instruction to another, which is
// executed at a return if it is deferred.
func comesAfter(f *process.Func, from, to ssa.Instruction) bool {
	_, deferred := to.(*ssa.Defer)
	return f.Order().Flows(from, to) || deferred && f.Order().Flows(to, from)
}

// alike reports whether two objects may belong to each other: they have the same root, or
// one of them is a package variable.
func alike(a, b accesspath.Path) bool {
	return a.Root() == b.Root() || a.IsGlobal() || b.IsGlobal()
}

// takenFrom reports whether the mutex is held at the change, or taken on every path from
// there to the wake: a waiter that has not seen the change waits by then.
func (p *Finder) takenFrom(f *process.Func, w *funcsum.Event, k wake) bool {
	if slices.ContainsFunc(w.Holds, func(h funcsum.Hold) bool { return p.Mutex(f, h.Guard) == k.mutex }) {
		return true
	}
	return slices.ContainsFunc(f.Takings(), func(t funcsum.Taking) bool {
		return p.Mutex(f, t.Guard) == k.mutex && f.Order().MustPass(w.Instr, t.Instr, k.instr)
	})
}

// changes returns the writes of f, and its operations on channels: these change their
// lengths.
func changes(f *process.Func) []*funcsum.Event {
	var out []*funcsum.Event
	for _, e := range f.Events {
		if e.Writes() {
			out = append(out, e)
		}
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			for _, ch := range channelsOf(instr) {
				if loc := callgraph.ChanLocation(ch); loc != "" {
					ref := f.Res.Resolve(ch)
					ref.Loc = loc
					out = append(out, &funcsum.Event{Instr: instr, Op: fact.Write, Ref: ref, Pos: fact.Pos{Pos: ssautil.Pos(instr)}})
				}
			}
		}
	}
	return out
}

// channelsOf returns the channels that an instruction sends to or receives from.
func channelsOf(instr ssa.Instruction) []ssa.Value {
	switch instr := instr.(type) {
	case *ssa.Send:
		return []ssa.Value{instr.Chan}
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			return []ssa.Value{instr.X}
		}
	case *ssa.Select:
		var out []ssa.Value
		for _, st := range instr.States {
			out = append(out, st.Chan)
		}
		return out
	}
	return nil
}
