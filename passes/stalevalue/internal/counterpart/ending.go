package counterpart

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// An ending: a function sets a flag of an object, and ends the use of a channel or of a
// sync.WaitGroup for the rest of the run, by closing the one or waiting for the other.
//
//	s.closed = true
//	close(s.events)
//
//	close(s.quit)
//	s.wg.Wait()
//
// A send to the channel panics afterwards, and a goroutine that is added to the group
// afterwards is one that nobody waits for. If the function waits for other goroutines before
// it closes the channel, these may be the senders: that is no ending.

// Ends returns, by location of a channel or group, the functions that set the flag and end the
// use of the channel or group. Their guards are all locks that they hold or take meanwhile: what
// another function does in one section of one of them, from the check of the flag on, comes
// before the ending.
func (p *Finder) Ends(flag accesspath.Location) map[accesspath.Location][]fact.Writer {
	return pairs(p, &p.endings, p.findEndings)[flag]
}

func (p *Finder) findEndings(f *process.Func) {
	ends := p.ends(f, 0)
	if len(ends) == 0 {
		return
	}
	for _, mark := range f.Events {
		if !p.sets(f, mark) || p.Location(mark.Loc).Constant() {
			continue
		}
		for _, e := range ends {
			if mark.Base.IsLocal() || mark.Base.Root() != e.base.Root() || !p.belongTogether(f, mark, e) {
				continue
			}
			by := f.Writer(mark)
			by.Guards = slices.Concat(f.Locks(mark), e.locks, takenBetween(f, mark, e))
			p.endings.add(mark.Loc, e.loc, by)
		}
	}
}

// belongTogether reports whether the flag and the end are of one shutdown: one of the two follows the other in f. A flag that is set
// after the wait for a group does not keep other goroutines from adding to the group in between.
//
//	b.readers.Wait(); b.store.Close() // sets b.store.closed
//
// A channel must not be closed after a wait.
func (p *Finder) belongTogether(f *process.Func, mark *funcsum.Event, e end) bool {
	if mark.Instr == e.instr {
		return false
	}
	if !comesAfter(f, mark.Instr, e.instr) && !f.Order().Flows(e.instr, mark.Instr) {
		return false
	}
	return !e.closes || !slices.ContainsFunc(awaits(f), func(w ssa.Instruction) bool {
		_, deferred := e.instr.(*ssa.Defer)
		return w != e.instr && f.Order().Flows(mark.Instr, w) && (deferred || f.Order().Flows(w, e.instr))
	})
}

// takenBetween returns the locks that f takes on all paths from the mark to the end.
func takenBetween(f *process.Func, mark *funcsum.Event, e end) []accesspath.Location {
	var out []accesspath.Location
	for _, t := range f.Takings() {
		if f.Order().MustPass(mark.Instr, t.Instr, e.instr) {
			out = append(out, t.Guard.Class)
		}
	}
	return out
}

// ends returns the ends of f.
func (p *Finder) ends(f *process.Func, depth int) []end {
	k := listKey{f, depth}
	known, ok := p.endsOf[k]
	if !ok {
		p.endsOf[k] = nil // for recursion
		known = p.findEnds(f, depth)
		p.endsOf[k] = known
	}
	return known
}

func (p *Finder) findEnds(f *process.Func, depth int) []end {
	var out []end
	f.Flow.Walk(func(instr ssa.Instruction, _ int, st *lockset.State) {
		call, ok := instr.(ssa.CallInstruction)
		if _, spawned := instr.(*ssa.Go); !ok || spawned {
			return
		}
		locks := classes(st, f)
		if e, ok := endOf(f, call); ok {
			e.locks = locks
			out = append(out, e)
			return
		}
		if depth == limit.NotifyDepth {
			return
		}
		for _, c := range p.Callees(f.Body, call.Common()) {
			if c.Fn == nil || c.May || c.Fn == f.Node || p.Of(c.Fn).State != funcsum.Built {
				continue
			}
			for _, e := range p.ends(p.Of(c.Fn), depth+1) {
				if e.base = p.Translate(f.Body, c, e.base); e.base != accesspath.Unknown && !(e.closes && waitsBefore(p.Of(c.Fn), e.instr)) {
					e.instr, e.locks = call, slices.Concat(e.locks, locks)
					out = append(out, e)
				}
			}
		}
	})
	return out
}

// classes returns the locks that may be held at a state of f.
func classes(st *lockset.State, f *process.Func) []accesspath.Location {
	var out []accesspath.Location
	for _, h := range st.Held {
		out = append(out, h.Class)
	}
	for _, g := range f.Entry {
		out = append(out, g.Class)
	}
	return out
}
