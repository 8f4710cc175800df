package stalevalue

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A second load: a function works on the object of an atomic pointer under the lock that
// the pointer is changed under, and loads the pointer again without that lock.
//
//	s.mu.Lock(); s.db.Load().prepare(); s.mu.Unlock()
//	s.db.Load().commit() // replace: s.mu.Lock(); s.db.Store(db); s.mu.Unlock()
//
// It goes on with an object that may be another: R(a) W'(a) R(a), the second of the
// problematic scenarios of Vaziri, Tip and Dolby.

// A secondLoad is two loads of an atomic pointer.
type secondLoad struct {
	reread
	guard summary.Hold // of the first
}

func (l *secondLoad) String() string { return l.describe("second-load", "loaded", "loaded again") }

// secondLoads reports such loads.
func (d *detector) secondLoads(rules rule.Set[*secondLoad]) {
	for _, second := range d.f.Events {
		info := d.pkg.Location(second.Loc)
		if info.Constant() || !info.Atomic || len(info.Guards) == 0 || !d.loads(second) {
			continue
		}
		for _, first := range d.f.Events {
			h, ok := d.loadedUnder(first, second, info)
			if !ok {
				continue
			}
			if l := (&secondLoad{reread{d, first, second, info}, h}); rule.Accept(d.judge, rules, l) {
				d.findings = append(d.findings, l.finding())
				break
			}
		}
	}
}

// loads reports whether e loads a pointer for a call of a method, or to look into what
// it points to.
func (d *detector) loads(e *summary.Event) bool {
	atomic := slices.ContainsFunc(e.Holds, summary.Hold.IsAtomic)
	return atomic && e.Callee == nil && e.Within == nil && e.Reads() && !e.Writes() && slices.ContainsFunc(e.Values, isFollowed)
}

// isFollowed reports whether v is a pointer that is followed, and not compared.
func isFollowed(v ssa.Value) bool {
	if _, ok := v.Type().Underlying().(*types.Pointer); !ok {
		return false
	}
	used := false
	for _, use := range ssautil.Uses(v) {
		switch use := use.(type) {
		case *ssa.FieldAddr:
			used = true
		case ssa.CallInstruction:
			used = used || summary.IsReceiver(use, v)
		case *ssa.BinOp, *ssa.Phi:
			return false // it is looked at first
		}
	}
	return used
}

// loadedUnder returns the lock of the writers that the first load is made under, and
// that is given up on every way to the second.
func (d *detector) loadedUnder(first, second *summary.Event, info *summary.LocInfo) (summary.Hold, bool) {
	if first == second || first.Loc != second.Loc || !accesspath.Same(first.Base, second.Base) || !d.loads(first) {
		return summary.Hold{}, false
	}
	for _, h := range first.Holds {
		if !h.Inner && slices.Contains(info.Guards, h.Class) && d.f.Order().Ends(first, second, h.Path, false) {
			return h, true
		}
	}
	return summary.Hold{}, false
}

// isUnderLock: the second load is made under a lock of the writers, too.
//
//	s.mu.Lock(); s.db.Load().prepare(); s.mu.Unlock()
//	s.mu.Lock(); s.db.Load().commit(); s.mu.Unlock()
//
// Each of the sections is about the object that is there.
func (l *secondLoad) isUnderLock() bool {
	return slices.ContainsFunc(l.d.heldAt(l.read.Instr), func(class accesspath.Location) bool { return slices.Contains(l.info.Guards, class) })
}

// rival returns a concurrent writer of the pointer, or nil.
func (l *secondLoad) rival() *summary.Writer { return l.rivalUnder(nil, anyWriter) }

func (l *secondLoad) hasRival() bool { return l.rival() != nil }

func (l *secondLoad) finding() finding.Finding {
	d, w, name := l.d, orNobody(l.rival()), l.d.f.NameOf(l.read)
	return finding.Finding{
		Pos:      d.pos(l.read),
		Category: escapeRef,
		Message: fmt.Sprintf("%s was loaded at line %d under %s, which its writers hold; loaded again here, after that was released, it may be another (it is changed by %s, %s)",
			name, d.line(d.pos(l.first)), d.f.GuardName(l.guard), w.Func, w.Pos.Text),
		Notes: []finding.Note{{Pos: d.pos(l.first), Message: name + " is loaded for the first time here"}},
		Anchors: d.pkg.Anchors(summary.Split{
			Fset: d.pass.Fset, Func: d.f, Check: l.first, Act: l.read,
			Release: d.releaseAfter(l.first, l.read, l.guard), Writers: []summary.Writer{*w},
		}),
	}
}
