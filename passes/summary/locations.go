package summary

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// infer finds out what the locations of the package are guarded by, from where
// and how they are written. Accesses to objects that have not been published,
// in constructors and what only they call, and in tests, do not count.
func (p *Package) infer() {
	for _, f := range p.Funcs {
		if f.state != built || f.constructs || p.inTest(f) || strings.HasPrefix(f.Fn.Name(), "init") && f.Fn.Parent() == nil {
			continue
		}
		for _, e := range f.Events {
			if e.Callee == nil && e.Within == nil || e.Callee != nil && e.Callee.foreign {
				p.observe(f, e)
			}
		}
	}
	p.unguardedWrites()
	for _, info := range p.locs {
		info.finish()
	}
	p.findViews()
	p.joint()
	p.together()
	for _, info := range p.locs {
		info.sort()
	}
}

// info returns the entry for a location.
func (p *Package) info(l accesspath.Location) *LocInfo {
	i := p.locs[l]
	if i == nil {
		i = &LocInfo{Loc: l, InsertOnly: true, ClockOnly: true, Latch: unset}
		if old := p.foreign.location(l); old != nil {
			*i = *old
			i.Writers = slices.Clone(old.Writers)
		}
		p.locs[l] = i
	}
	return i
}

// Location returns what is known about a location, or nil.
func (p *Package) Location(l accesspath.Location) *LocInfo {
	if i := p.locs[l]; i != nil {
		return i
	}
	if l.Pkg() == p.pass.Pkg.Path() {
		return nil
	}
	i := p.foreign.location(l)
	if i != nil && p.outerLocks != nil {
		i = p.shielded(i)
		p.locs[l] = i
	}
	return i
}

// observe takes note of one access.
func (p *Package) observe(f *Func, e *Event) {
	if e.Callee != nil && e.Loc.Pkg() != p.pass.Pkg.Path() {
		return // its own package knows about it
	}
	info := p.info(e.Loc)
	for _, h := range e.Holds {
		if strings.HasSuffix(string(h.Class), atomicMark) && h.Class == e.Loc+atomicMark {
			info.Atomic = true
		}
	}
	if !e.Writes() || e.once || e.Op&Content != 0 && e.Op&Read == 0 {
		return
	}
	w := f.writer(e)
	for _, h := range e.Holds {
		if h.Class == "" {
			return // under a lock that is a parameter: whose it is, is not known
		}
		if Related(h.Path, e.Base) && !strings.HasSuffix(string(h.Class), atomicMark) {
			w.Guards = append(w.Guards, h.Class)
		}
	}
	for _, g := range f.Entry {
		if Related(g.Path, e.Base) && !f.Flow.InState(g.Path) {
			w.Guards = append(w.Guards, g.Class)
		}
	}
	for _, c := range f.claimed(e.Instr) {
		if Related(c.guard.Path, e.Base) && c.guard.Class != e.Loc {
			w.Guards = append(w.Guards, c.guard.Class)
		}
	}
	slices.Sort(w.Guards)
	w.Guards = slices.Compact(w.Guards)
	info.Writers = append(info.Writers, w)
	if !strings.Contains(e.Key, ";") && !p.insert(f, e) {
		info.InsertOnly = false // what is inside an element does not matter
	}
	info.Counter = info.Counter || e.delta
	info.latch(e.Const)
	if !e.clock {
		info.ClockOnly = false
	}
}

// writer returns what is known of f as the writer of e, but for the locks.
func (f *Func) writer(e *Event) Writer {
	return Writer{
		Func: Name(f.Fn), Pos: e.Pos,
		Part: e.Key != "" && e.Op&Content == 0, Effect: f.effect(e), Const: e.Const,
		fn: f.id,
	}
}

// insert reports whether a write adds an element under a key that was looked
// up before, in the same passage.
func (p *Package) insert(f *Func, e *Event) bool {
	if e.Key == "" || e.Op&(Delete|Content) != 0 {
		return false
	}
	if e.Op&Compare != 0 && e.Op&Read != 0 {
		return true // LoadOrStore
	}
	for _, i := range e.Control {
		r := f.Events[i]
		if r.Loc == e.Loc && r.Key != "" && SharePassage(r, e) {
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

// A correlation counts, for two locations, the regions that write them.
type correlation struct {
	regions map[accesspath.Location]int
	pairs   map[[2]accesspath.Location]int
}

// minShare is the least share, as one in so many, of the regions that write
// either of two locations that must write both for them to belong together. In
// a struct with many fields some region, the one that closes it, writes them
// all; that does not tie every two of them together. Access correlation as a
// measure for what belongs together is from Lu et al., MUVI (SOSP 2007).
const minShare = 4

// joint finds the locations that are written together, and fills in Joint. A
// view holds only what its guard guards (Artho, Havelund, Biere, High-level
// data races, section 6, leave nested locks open): what has a lock of its own
// inside the region is none of the outer guard's business.
func (p *Package) joint() {
	c := p.correlate()
	for pair, n := range c.pairs {
		if n*minShare >= c.regions[pair[0]] && n*minShare >= c.regions[pair[1]] {
			info := p.info(pair[0])
			info.Joint = append(info.Joint, pair[1])
		}
	}
}

// correlate counts the regions of the package.
func (p *Package) correlate() *correlation {
	c := &correlation{make(map[accesspath.Location]int), make(map[[2]accesspath.Location]int)}
	for _, v := range p.views {
		if v.Kind == WriteView && !v.Nested {
			c.add(v.locations(p.pass.Pkg.Path()))
		}
	}
	return c
}

// Loose reports whether of the regions of this package that write either of two
// locations most leave the other as it is.
func (p *Package) Loose(x, y accesspath.Location) bool {
	if p.correlation == nil {
		p.correlation = p.correlate() // few packages are asked, and it is not small
	}
	either := max(p.correlation.regions[x], p.correlation.regions[y])
	return either > 0 && 2*p.correlation.pairs[[2]accesspath.Location{x, y}] < either
}

// add counts the locations of one view.
func (c *correlation) add(view []accesspath.Location) {
	for _, x := range view {
		c.regions[x]++
		for _, y := range view {
			if x != y {
				c.pairs[[2]accesspath.Location{x, y}]++
			}
		}
	}
}

// together finds, for each location, those that the functions which write it
// themselves write too, directly or by a call, under whatever guards: half of
// these functions at least must do so.
func (p *Package) together() {
	const maxTogether = 16
	writers := make(map[accesspath.Location]int)
	pairs := make(map[[2]accesspath.Location][]string)
	for f := range p.sharing() {
		var own, all []accesspath.Location
		for _, e := range f.Events {
			if !e.Writes() || e.delta || e.once {
				continue
			}
			if e.Callee == nil && e.Within == nil && !slices.Contains(own, e.Loc) {
				own = append(own, e.Loc)
			}
			if !slices.Contains(all, e.Loc) {
				all = append(all, e.Loc)
			}
		}
		if len(all) > maxTogether {
			continue
		}
		for _, x := range own {
			writers[x]++
			for _, y := range all {
				if x != y && x.Pkg() == p.pass.Pkg.Path() {
					k := [2]accesspath.Location{x, y}
					pairs[k] = append(pairs[k], f.Sum.Name)
				}
			}
		}
	}
	for k, names := range pairs {
		if len(names)*2 < writers[k[0]] {
			continue
		}
		info := p.info(k[0])
		for _, name := range names {
			info.Together = append(info.Together, TogetherWrite{k[1], name})
		}
	}
}

// unguardedWrites adds the writes of functions that have nothing to do with
// locks to the locations that others guard.
func (p *Package) unguardedWrites() {
	for _, f := range p.Funcs {
		if f.state == built || p.inTest(f) || f.constructs || strings.HasPrefix(f.Fn.Name(), "init") {
			continue
		}
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				st, ok := instr.(*ssa.Store)
				if !ok {
					continue
				}
				addr, ok := st.Addr.(*ssa.FieldAddr)
				if !ok || madeHere(addr.X) {
					continue
				}
				if info := p.locs[accesspath.LocationOf(addr)]; info != nil {
					text, _ := constText(st.Val)
					info.latch(text)
					info.Writers = append(info.Writers, Writer{Func: Name(f.Fn), Pos: p.pos(instrPos(st)), fn: f.id})
					info.InsertOnly, info.ClockOnly = false, false
				}
			}
		}
	}
}

// unset is the Latch of a location of which no write was seen yet.
const unset = "?"

// latch takes note of the constant written, "" for another value.
func (i *LocInfo) latch(text string) {
	if i.Latch == unset {
		i.Latch = text
	} else if i.Latch != text {
		i.Latch = ""
	}
}

// sort puts the lists in a fixed order.
func (i *LocInfo) sort() {
	slices.Sort(i.Joint)
	slices.SortFunc(i.Together, func(a, b TogetherWrite) int {
		return strings.Compare(string(a.Loc)+" "+a.Func, string(b.Loc)+" "+b.Func)
	})
	i.Together = slices.Compact(i.Together)
}

// finish derives what follows from the writers.
func (i *LocInfo) finish() {
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

// Constant reports whether the location is not written after construction, as
// far as is known.
func (i *LocInfo) Constant() bool { return i == nil || len(i.Writers) == 0 }

// Guarding returns the classes of the locks that guard the location.
func (i *LocInfo) Guarding() []accesspath.Location {
	if i.Constant() {
		return nil
	}
	return i.Guards
}

// WrittenWith reports whether a function other than f, and other than the callee
// that f calls, writes the location and l, though under different guards.
func (i *LocInfo) WrittenWith(l accesspath.Location, callee *FuncSummary, f *Func) bool {
	return slices.ContainsFunc(i.Together, func(t TogetherWrite) bool {
		return t.Loc == l && t.Func != f.Sum.Name && (callee == nil || t.Func != callee.Name)
	})
}

// Updates reports whether all functions that write the location write l as well.
func (i *LocInfo) Updates(l accesspath.Location) bool {
	return len(i.Writers) > 0 && !slices.ContainsFunc(i.Writers, func(w Writer) bool {
		return !slices.Contains(i.Together, TogetherWrite{l, w.Func})
	})
}

// IsJoint reports whether l is kept consistent with the location: the regions
// that write them are to a good part the same.
func (i *LocInfo) IsJoint(l accesspath.Location) bool {
	_, found := slices.BinarySearch(i.Joint, l)
	return found
}
