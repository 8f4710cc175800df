package guards

import (
	"maps"
	"slices"
	"sync"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"golang.org/x/tools/go/ssa"
)

// NewGuards infers the guards of the package's locations from the writes. Writes to
// objects before their publication (in constructors, in functions that only constructors
// call, and in the function of a sync.Once), and writes in tests, do not count. A signal is
// no part of a construction, nor is an atomic write in the function of a sync.Once, if others load the variable without a call of that.
//
//	func (e *Event) Fire() { e.once.Do(func() { e.fired.Store(true); close(e.c) }) }
//
//	func (e *Event) HasFired() bool { return e.fired.Load() }
func NewGuards(procs *process.Processes) *Guards {
	p := &Guards{Processes: procs, Locs: make(map[accesspath.Location]*fact.LocInfo), flagTests: newFlagTests()}
	p.setters = sync.OnceValue(p.findSetters)
	p.findStates()
	for _, f := range p.Funcs {
		if f.State != funcsum.Built || f.Constructs() && !f.RunsOnce() || f.Test || f.Forwards() || ssautil.IsInit(f.Fn) {
			continue
		}
		for _, e := range f.Events {
			if p.accountsFor(f, e) && (!f.Constructs() || p.isState(f, e)) {
				p.observe(f, e)
			}
		}
	}
	p.unguardedWrites()
	p.bindParameters()
	for _, info := range p.Locs {
		p.finish(info)
	}
	p.shield()
	p.parts = sync.OnceValue(p.findParts)
	p.passages = make([][]Passage, len(p.Funcs))
	for _, f := range p.Funcs {
		p.passages[f.ID] = p.passagesOf(f)
	}
	return p
}

// info returns the entry for a location.
func (p *Guards) info(l accesspath.Location) *fact.LocInfo {
	i := p.Locs[l]
	if i == nil {
		i = &fact.LocInfo{Loc: l, InsertOnly: true, ClockOnly: true, Latch: unset}
		if old := p.Foreign.Location(l); old != nil {
			*i = *old
			i.Writers = slices.Clone(old.Writers)
		}
		p.Locs[l] = i
	}
	return i
}

// observe adds one access to the entry of its location.
func (p *Guards) observe(f *process.Func, e *funcsum.Event) {
	if e.Callee != nil && e.Loc.Pkg() != p.Pkg.Path() {
		return // counted in the callee's own package
	}
	info := p.info(e.Loc)
	info.Atomic = info.Atomic || isAtomic(e)
	if !e.Writes() || e.Once() && !isLocked(e) && !p.isState(f, e) || e.Op&fact.Content != 0 && e.Op&fact.Read == 0 {
		return
	}
	w := f.Writer(e)
	final := e.Const
	if e.Callee != nil && !e.Callee.Foreign {
		// That a setter is only called with one value today does not make it final.
		w.Pos, final = p.Pos(e.Pos.Pos), ""
	}
	for _, h := range e.Holds {
		if h.Class == "" {
			return // the lock is a parameter: its owner is unknown
		}
		if p.mayGuardIn(f, h.Guard, e) && !h.IsAtomic() {
			w.Guards = append(w.Guards, h.Class)
		}
	}
	for _, g := range f.Entry {
		if p.mayGuardIn(f, g, e) && !f.Flow.InState(g.Path) {
			w.Guards = append(w.Guards, g.Class)
		}
	}
	for _, c := range f.ClaimedBy(e) {
		if Related(c.Guard.Path, e.Base) && c.Guard.Class != e.Loc {
			w.Guards = append(w.Guards, c.Guard.Class)
		}
	}
	w.Guards = append(w.Guards, p.AnnotatedLocks(e.Loc)...)
	slices.Sort(w.Guards)
	w.Guards = slices.Compact(w.Guards)
	info.Writers = append(info.Writers, w)
	if !e.Key.IsNested() && !p.insert(f, e) {
		info.InsertOnly = false // a write inside an element neither inserts nor removes
	}
	info.Counter = info.Counter || e.Delta()
	latch(info, final)
	if !e.Clock() {
		info.ClockOnly = false
	}
}

// isState reports whether an access in the construction of an object changes a state that others see: it is a signal, or in the function of
// a sync.Once, and others load the variable without it.
func (p *Guards) isState(f *process.Func, e *funcsum.Event) bool {
	return funcsum.IsSignalFlag(e.Loc) || (e.Once() || f.RunsOnce()) && p.states[e.Loc]
}

// findStates finds the locations that are loaded atomically by a function which does not call the sync.Once in which they are written.
func (p *Guards) findStates() {
	p.states = make(map[accesspath.Location]bool)
	for _, f := range p.Funcs {
		if f.State != funcsum.Built || f.Test {
			continue
		}
		for _, e := range f.Events {
			if e.Callee == nil && e.Reads() && !e.Writes() && !p.states[e.Loc] && isAtomic(e) {
				p.states[e.Loc] = !slices.ContainsFunc(f.Events, func(w *funcsum.Event) bool { return w.Loc == e.Loc && w.Writes() && w.Once() })
			}
		}
	}
}

func isAtomic(e *funcsum.Event) bool {
	return slices.ContainsFunc(e.Holds, func(h funcsum.Hold) bool { return h.IsAtomicOf(e.Loc) })
}

// isLocked reports whether an access is made under a lock, other than that of a sync.Once: the lock is for those who
// make the same access without the sync.Once.
//
//	s.once.Do(func() { s.mu.Lock(); s.closed = true; s.mu.Unlock() })
func isLocked(e *funcsum.Event) bool {
	return slices.ContainsFunc(e.Holds, func(h funcsum.Hold) bool { return h.Mode != lockset.Once && !h.IsAtomic() })
}

// insert reports whether a write adds an element under a key that was looked up before,
// in the same critical section.
func (p *Guards) insert(f *process.Func, e *funcsum.Event) bool {
	if e.Key == "" || e.Op&(fact.Delete|fact.Content) != 0 {
		return false
	}
	if e.Op&fact.Compare != 0 && e.Op&fact.Read != 0 {
		return true // LoadOrStore
	}
	for _, i := range e.Control {
		r := f.Events[i]
		if r.Loc == e.Loc && r.Key != "" && funcsum.SharePassage(r, e) {
			return true
		}
	}
	return false
}

// unguardedWrites adds the writes of functions that use no locks to the locations that
// other functions guard.
func (p *Guards) unguardedWrites() {
	for _, f := range p.Funcs {
		if f.State == funcsum.Built || f.Test || f.Constructs() || ssautil.IsInit(f.Fn) {
			continue
		}
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				st, ok := instr.(*ssa.Store)
				if !ok {
					continue
				}
				addr, ok := st.Addr.(*ssa.FieldAddr)
				if !ok || p.IsMade(addr.X) {
					continue
				}
				if info := p.Locs[accesspath.LocationOf(addr)]; info != nil {
					text, _ := ssautil.ConstText(st.Val)
					latch(info, text)
					locks := slices.Sorted(slices.Values(p.AnnotatedLocks(info.Loc)))
					info.Writers = append(info.Writers, fact.Writer{Func: callgraph.Name(f.Fn), Pos: p.Pos(ssautil.Pos(st)), Guards: locks, Fn: f.ID, Loc: info.Loc})
					info.InsertOnly, info.ClockOnly = false, false
				}
			}
		}
	}
}

// finish computes the properties that need all writers: the guards are the locks that
// every writer holds.
func (p *Guards) finish(i *fact.LocInfo) {
	if i.Latch == unset {
		i.Latch = ""
	}
	if len(i.Writers) == 0 {
		i.InsertOnly, i.ClockOnly = false, false
		return
	}
	i.Guards = slices.Clone(i.Writers[0].Guards)
	for _, w := range i.Writers[1:] {
		i.Guards = slices.DeleteFunc(i.Guards, func(g accesspath.Location) bool { return !slices.Contains(w.Guards, g) })
	}
	i.Guards = slices.DeleteFunc(i.Guards, func(g accesspath.Location) bool { return !p.bindsShared(i.Loc, g) })
}

// Locations returns the locations of the package that are accessed, in order.
func (p *Guards) Locations() []accesspath.Location { return slices.Sorted(maps.Keys(p.Locs)) }

// IsGuard reports whether a variable of the package is guarded by a lock, by its declaration.
func (p *Guards) IsGuard(lock accesspath.Location) bool {
	for _, info := range p.Locs {
		if slices.Contains(info.Guards, lock) {
			return true
		}
	}
	return false
}
