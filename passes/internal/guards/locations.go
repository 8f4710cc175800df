package guards

import (
	"slices"
	"strings"
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

// NewGuards finds out what the locations of the package are guarded by, from where
// and how they are written. Accesses to objects that have not been published,
// in constructors and what only they call, and in tests, do not count.
func NewGuards(procs *process.Processes) *Guards {
	p := &Guards{Processes: procs, Locs: make(map[accesspath.Location]*fact.LocInfo)}
	for _, f := range p.Funcs {
		if f.State != funcsum.Built || f.Constructs() || f.Test || strings.HasPrefix(f.Fn.Name(), "init") && f.Fn.Parent() == nil {
			continue
		}
		for _, e := range f.Events {
			if e.Callee == nil && e.Within == nil || e.Callee != nil && e.Callee.Foreign {
				p.observe(f, e)
			}
		}
	}
	p.unguardedWrites()
	for _, info := range p.Locs {
		finish(info)
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

// Location returns what is known about a location, or nil.
func (p *Guards) Location(l accesspath.Location) *fact.LocInfo {
	i := p.Locs[l]
	if i == nil && l.Pkg() != p.Pkg.Path() {
		if i = p.Foreign.Location(l); i != nil {
			i = p.shielded(i)
			p.Locs[l] = i
		}
	}
	return i
}

// observe takes note of one access.
func (p *Guards) observe(f *process.Func, e *funcsum.Event) {
	if e.Callee != nil && e.Loc.Pkg() != p.Pkg.Path() {
		return // its own package knows about it
	}
	info := p.info(e.Loc)
	for _, h := range e.Holds {
		if h.IsAtomicOf(e.Loc) {
			info.Atomic = true
		}
	}
	if !e.Writes() || e.Once() || e.Op&fact.Content != 0 && e.Op&fact.Read == 0 {
		return
	}
	w := f.Writer(e)
	for _, h := range e.Holds {
		if h.Class == "" {
			return // under a lock that is a parameter: whose it is, is not known
		}
		if Related(h.Path, e.Base) && !h.IsAtomic() {
			w.Guards = append(w.Guards, h.Class)
		}
	}
	for _, g := range f.Entry {
		if Related(g.Path, e.Base) && !f.Flow.InState(g.Path) {
			w.Guards = append(w.Guards, g.Class)
		}
	}
	for _, c := range f.Claimed(e.Instr) {
		if Related(c.Guard.Path, e.Base) && c.Guard.Class != e.Loc {
			w.Guards = append(w.Guards, c.Guard.Class)
		}
	}
	slices.Sort(w.Guards)
	w.Guards = slices.Compact(w.Guards)
	info.Writers = append(info.Writers, w)
	if !e.Key.IsNested() && !p.insert(f, e) {
		info.InsertOnly = false // what is inside an element does not matter
	}
	info.Counter = info.Counter || e.Delta()
	latch(info, e.Const)
	if !e.Clock() {
		info.ClockOnly = false
	}
}

// insert reports whether a write adds an element under a key that was looked
// up before, in the same passage.
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

// Concerns reports whether a lock can be what protects a location of the object
// at base. One that is declared with the location protects that of its own object
// only.
func Concerns(g lockset.Guard, l accesspath.Location, base accesspath.Path) bool {
	return g.Class.Type() != l.Type() || Related(g.Path, base)
}

// Related reports whether a lock at path may be meant to guard the object at
// base: one belongs to the other, or the lock is a package variable, or its
// path is not known.
func Related(lock, base accesspath.Path) bool {
	if lock == accesspath.Unknown || base == accesspath.Unknown || lock.IsGlobal() {
		return true
	}
	owner := lock.Parent()
	for owner != accesspath.Unknown {
		if base.Within(owner) {
			return true
		}
		owner = owner.Parent()
	}
	return lock.Root() == base.Root() || lock.IsLocal() || base.IsLocal()
}

// unguardedWrites adds the writes of functions that have nothing to do with
// locks to the locations that others guard.
func (p *Guards) unguardedWrites() {
	for _, f := range p.Funcs {
		if f.State == funcsum.Built || f.Test || f.Constructs() || strings.HasPrefix(f.Fn.Name(), "init") {
			continue
		}
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				st, ok := instr.(*ssa.Store)
				if !ok {
					continue
				}
				addr, ok := st.Addr.(*ssa.FieldAddr)
				if !ok || ssautil.IsMadeHere(addr.X) {
					continue
				}
				if info := p.Locs[accesspath.LocationOf(addr)]; info != nil {
					text, _ := ssautil.ConstText(st.Val)
					latch(info, text)
					info.Writers = append(info.Writers, fact.Writer{Func: callgraph.Name(f.Fn), Pos: p.Pos(ssautil.Pos(st)), Fn: f.ID})
					info.InsertOnly, info.ClockOnly = false, false
				}
			}
		}
	}
}

// unset is the Latch of a location of which no write was seen yet.
const unset = "?"

// latch takes note of the constant written, "" for another value.
func latch(i *fact.LocInfo, text string) {
	if i.Latch == unset {
		i.Latch = text
	} else if i.Latch != text {
		i.Latch = ""
	}
}

// finish derives what follows from the writers.
func finish(i *fact.LocInfo) {
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
}
