package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/chance"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/chanop"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/lifetime"
	"github.com/atomvet/atomvet/passes/summary"
)

// The categories, most serious first.
const (
	lostUpdate   = "lost-update"
	checkThenAct = "check-then-act"
	staleUse     = "stale-use"
	escapeRef    = "escape-ref"
	escape       = "escape"
)

// A detector looks for stale values in one function.
type detector struct {
	pass     *analysis.Pass
	judge    *rule.Judge
	pkg      *summary.Package
	f        *summary.Func
	others   *counterpart.Finder
	own      ownEffects
	lives    *lifetime.Finder
	channels *chanop.Finder
	starters starters
	chance   *chance.Finder
	findings []finding.Finding
	held     heldClasses
	// appended caches the answers of pair.appended.
	appended map[*summary.Event][]ssa.Value
	// executions caches the answers of candidate.execution.
	executions map[*candidate]summary.Execution
	// rivalRules decide who is a rival, and idempotent which acts can as well be done twice.
	rivalRules rule.Set[rival]
	idempotent rule.Set[*candidate]
}

// in returns the detector for another function of the package.
func (d *detector) in(f *summary.Func) *detector {
	other := *d
	other.f, other.held = f, nil
	return &other
}

// isDrawn reports whether what e puts into its place is drawn by chance, so that two goroutines that put it put two.
func (d *detector) isDrawn(e *summary.Event) bool {
	return len(e.Inputs) > 0 && d.chance.IsDrawn(ssautil.Unboxed(e.Inputs[0]))
}

func (d *detector) line(pos token.Pos) int { return d.pass.Fset.Position(pos).Line }

// pos returns the position of an access in this package.
func (d *detector) pos(e *summary.Event) token.Pos { return e.Pos.Pos }

// releaseAfter returns where the guard of a read is given up next before the act.
func (d *detector) releaseAfter(r, act *summary.Event, guard summary.Hold) token.Pos {
	if guard.Inner {
		return token.NoPos
	}
	between := func(instr ssa.Instruction) bool {
		return d.f.Order().Flows(r.Instr, instr) && (d.f.Order().Flows(instr, act.Instr) || instr == act.Instr)
	}
	if release := d.f.Order().FirstRelease(guard.Path, between); release != nil {
		return release.Pos()
	}
	return token.NoPos
}

// taken returns where the section of an act begins.
func (d *detector) taken(e *summary.Event) token.Pos {
	for _, h := range e.Holds {
		if h.Inner || len(h.Sites) != 1 || h.Sites[0] == lockset.Entry {
			continue
		}
		if instr := d.f.Instr(h.Sites[0]); instr != nil {
			return instr.Pos()
		}
	}
	return token.NoPos
}

// endsBefore reports whether control can reach an instruction from the read r through
// the end of its section.
func (d *detector) endsBefore(r *summary.Event, at ssa.Instruction, guard summary.Hold) bool {
	if guard.Inner {
		return d.f.Order().Flows(r.Instr, at)
	}
	return d.f.Order().EndsBetween(r.Instr, at, guard.Path)
}

// actsAfter reports whether control can reach the access w from the read r through the end of
// its section; if forward is set, without going round a loop.
func (d *detector) actsAfter(r, w *summary.Event, guard summary.Hold, forward bool) bool {
	if guard.Inner || w.Distant {
		return d.f.Order().Exists(summary.Way{From: r.Instr, To: w.Instr, Forward: forward})
	}
	return d.f.Order().Ends(r, w, guard.Path, forward)
}

// mustPass reports whether via is on every feasible path from one instruction to another one. A path is infeasible if it
// takes a branch that excludes a fact that holds at its end:
//
//	_, busy := s.running[k] // from
//	if !busy { s.running[k] = c } // via
//	s.mu.Unlock()
//	if busy { return }
//	s.run(k) // to
//
// A path that comes to from again need not be followed further: its rest is a path from there, too.
func (d *detector) mustPass(from, via, to ssa.Instruction) bool {
	if d.f.Order().MustPass(from, via, to) {
		return true
	}
	if from.Block() == to.Block() && ssautil.Precedes(from, to) {
		return false
	}
	facts := slices.Collect(branch.At(to.Block()))
	seen := map[*ssa.BasicBlock]bool{from.Block(): true, via.Block(): true}
	for work := []*ssa.BasicBlock{from.Block()}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, next := range b.Succs {
			if slices.ContainsFunc(facts, func(is branch.Fact) bool { return branch.Refutes(b, next, is) }) {
				continue
			}
			if next == to.Block() {
				return false
			}
			if !seen[next] {
				seen[next] = true
				work = append(work, next)
			}
		}
	}
	return true
}

// oneSection reports whether e and the act w lie in one section of a lock:
// e is what it was when w happens, if writers respect the lock.
func (d *detector) oneSection(e, w *summary.Event) bool {
	return d.oneSectionUnder(e, w, func(accesspath.Location) bool { return true })
}

// oneSectionUnder reports whether e and the act w lie in one section of a lock of which is asked.
func (d *detector) oneSectionUnder(e, w *summary.Event, asked func(accesspath.Location) bool) bool {
	if w.Distant {
		return false
	}
	if e.Ord == w.Ord && e.Instr == w.Instr {
		return summary.SharePassage(e, w)
	}
	for _, h := range e.Holds {
		g := w.Hold(h.Path)
		if g != nil && asked(h.Class) && !h.Inner && !g.Inner && !d.f.Order().Ends(e, w, h.Path, false) && d.f.Order().Flows(e.Instr, w.Instr) {
			return true
		}
	}
	return false
}

// heldClasses are the classes of the locks held at each instruction, see heldAt.
type heldClasses map[ssa.Instruction][]accesspath.Location

// heldAt returns the classes of the locks held at an instruction.
func (d *detector) heldAt(at ssa.Instruction) []accesspath.Location {
	if d.held == nil {
		d.held = make(heldClasses)
		d.f.Flow.Walk(func(instr ssa.Instruction, _ int, st *lockset.State) {
			for _, h := range st.Held {
				d.held[instr] = append(d.held[instr], h.Class) // on some path is enough
			}
		})
	}
	out := slices.Clone(d.held[at])
	for _, g := range d.f.Entry {
		out = append(out, g.Class)
	}
	return out
}
