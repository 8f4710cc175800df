package counterpart

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// A drain sets a flag that keeps new users away, and then asks whether the count of those that are
// there has come to zero:
//
//	s.draining.Store(true)
//	for s.users.Load() > 0 { sleep() }
//	s.remove()
//
// A function that finds the flag clear, and counts itself in a later critical section, is a user that
// the drain has not seen.

// DrainsBy returns, by count, the functions that set the flag before they ask whether the count is zero.
func (p *Finder) DrainsBy(flag accesspath.Location) map[accesspath.Location][]fact.Writer {
	return pairs(p, &p.drains, p.findDrains)[flag]
}

func (p *Finder) findDrains(f *process.Func) {
	for _, mark := range f.Events {
		if !p.sets(f, mark) && !p.raises(mark) || p.Location(mark.Loc).Constant() {
			continue
		}
		for _, count := range f.Events {
			if !count.Reads() || count.Writes() || count.Loc == mark.Loc || count.Base.Root() != mark.Base.Root() || count.Base.IsLocal() ||
				!f.Order().Flows(mark.Instr, count.Instr) || !p.isLowered(count.Loc) || !p.asksForZero(f, count) {
				continue
			}
			p.drains.add(mark.Loc, count.Loc, withLocks(f, mark))
		}
	}
}

// isLowered reports whether a variable is changed by amounts alone, and goes down as well.
func (p *Finder) isLowered(l accesspath.Location) bool {
	info := p.Location(l)
	return !info.Constant() && info.Counter && slices.ContainsFunc(info.Writers, func(w fact.Writer) bool { return w.Effect == fact.Lowers })
}

// raises reports whether an access adds to a count of those who keep others out, such as s.shut++. Others take
// off what they have added.
func (p *Finder) raises(e *funcsum.Event) bool {
	return e.Writes() && e.Effect() == fact.Raises && p.isLowered(e.Loc)
}
