package stalevalue

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// A late wake-up: a goroutine waits until a time that it has read, and then removes something without another look at that
// time, which others may have put off while it has waited.
//
//	go func() {
//		time.Sleep(time.Until(e.expires))
//		s.mu.Lock(); delete(s.m, k); s.mu.Unlock() // WRONG: e.expires may be later by now
//	}()
//
//	func (s *S) touch(k string) { s.mu.Lock(); s.m[k].expires = now.Add(ttl); s.mu.Unlock() }
//
// The time is read before the wait, and the removal depends on it by the wait alone: it has neither a data nor a control
// dependence on what was read. A channel that ends the wait is no help, as the goroutine may have passed it and wait for the lock.

// A lateWake is a removal after a wait, the read that says how long to wait, and a writer of what was read.
type lateWake struct {
	d      *detector
	act    *summary.Event
	wait   counterpart.Wait
	until  *summary.Event // of the function that the time is computed in
	writer *summary.Writer
}

func (l *lateWake) String() string {
	return fmt.Sprintf("late-wake: %s at line %d, %s at line %d, in %s", l.name(), l.d.line(l.d.pos(l.until)), l.d.f.NameOf(l.act), l.d.line(l.d.pos(l.act)), summary.Name(l.d.f.Fn))
}

func (l *lateWake) name() string { return l.wait.In.NameOf(l.until) }

func (l *lateWake) Positions() []token.Pos {
	return []token.Pos{l.d.pos(l.act), l.d.pos(l.until), l.d.f.Fn.Pos()}
}

// lateWakes reports the first such removal of a function.
func (d *detector) lateWakes(rules rule.Set[*lateWake]) {
	for _, wait := range counterpart.Waits(d.f, d.pkg.FuncOf) {
		for _, until := range wait.Until {
			info := d.pkg.Location(until.Loc)
			if info.Constant() {
				continue
			}
			for _, act := range d.f.Events {
				if act.Op&summary.Delete == 0 || wait.At != nil && !d.f.Order().Flows(wait.At, act.Instr) {
					continue
				}
				for i := range info.Writers {
					if l := (&lateWake{d, act, wait, until, &info.Writers[i]}); rule.Accept(d.judge, rules, l) {
						d.findings = append(d.findings, l.finding(rules.Doubts(d.judge, l)))
						return
					}
				}
			}
		}
	}
}

// putsOff: another function gives the time a value that is computed, and the removal is made under a lock.
func (l *lateWake) putsOff() bool {
	w := l.writer
	return w.Fn >= 0 && w.Const == "" && len(l.d.f.Locks(l.act)) > 0 && l.puts() != l.wait.In && l.puts() != l.d.f
}

// isOfRemoved: the time is one of the object that is removed. Elements have the type of the object, and the time is a part of the
// element, or of the object that has the key, or of the object that is told to remove itself from another one.
//
//	delete(s.m, k) // s.m[k].expires
//	delete(s.m, e.key) // e.expires
//	e.remove() // delete(e.parent.children, e.name)
//
// A pause that is a setting of all elements says nothing of one of them, and neither does the time of what a timer was set for.
func (l *lateWake) isOfRemoved() bool {
	object, act := l.until.Base, l.act
	if object == accesspath.Unknown || !l.removesOwner() {
		return false
	}
	if element := l.outside(act.Path); element != accesspath.Unknown && object.Within(element) {
		return true
	}
	if slices.ContainsFunc(act.Key.Parts(), func(k accesspath.Key) bool { return l.outside(accesspath.Path(k)).Within(object) }) {
		return true
	}
	call, ok := act.Instr.(ssa.CallInstruction)
	return ok && act.Callee != nil && slices.ContainsFunc(call.Common().Args, func(v ssa.Value) bool {
		return l.outside(l.d.f.Res.Resolve(v).Path) == object
	})
}

// removesOwner reports whether the elements of the container, from which something is removed, have the type of the object with
// the time.
func (l *lateWake) removesOwner() bool {
	owner, ok := l.d.pass.Pkg.Scope().Lookup(l.act.Loc.Type()).(*types.TypeName)
	if !ok || l.act.Loc.Pkg() != l.d.pass.Pkg.Path() {
		return false
	}
	container, _, _ := types.LookupFieldOrMethod(owner.Type(), true, l.d.pass.Pkg, l.act.Loc.Name()[len(l.act.Loc.Type())+1:])
	if container == nil {
		return false
	}
	table, ok := container.Type().Underlying().(*types.Map)
	return ok && ssautil.Named(table.Elem()) != nil && ssautil.Named(table.Elem()).Obj().Name() == l.until.Loc.Type()
}

// outside returns the name that the function with the read has for what the function with the removal, which may be a literal in
// it, calls by a path.
func (l *lateWake) outside(path accesspath.Path) accesspath.Path {
	mc := ssautil.ClosureOf(l.d.f.Fn)
	if l.wait.In == l.d.f || mc == nil {
		return path
	}
	return path.Substitute(func(root accesspath.Path) accesspath.Path {
		for i, b := range mc.Bindings {
			if root == accesspath.Free(i) {
				return l.wait.In.Res.Resolve(b).Path
			}
		}
		return root
	})
}

// puts returns the function that the writer is in.
func (l *lateWake) puts() *summary.Func { return l.d.pkg.Funcs[l.writer.Fn] }

// hasRival: the writer may run while the goroutine waits.
func (l *lateWake) hasRival() bool {
	return l.d.pkg.Concurrent(l.d.f, accesspath.Unknown, l.writer)
}

// looksAfterwards: the time is read again after the wait, or the removal is decided by something else that the writer of the
// time writes. That the object is still there says nothing of its time.
//
//	s.mu.Lock()
//	if e := s.m[k]; !now().Before(e.expires) { delete(s.m, k) }
func (l *lateWake) looksAfterwards() bool {
	f := l.d.f
	return slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
		if !e.Reads() || e == l.act || l.wait.At != nil && !f.Order().Flows(l.wait.At, e.Instr) || e.Instr != l.act.Instr && !f.Order().Flows(e.Instr, l.act.Instr) {
			return false
		}
		return e.Loc == l.until.Loc || l.writes(e.Loc) && l.d.decides(e, l.act)
	})
}

// writes reports whether the function that puts the time off writes a location itself, other than that of the removal.
func (l *lateWake) writes(loc accesspath.Location) bool {
	return loc != l.act.Loc && slices.ContainsFunc(l.puts().Events, func(w *summary.Event) bool { return w.Writes() && w.Callee == nil && w.Loc == loc })
}

func (l *lateWake) inTest() bool { return l.d.pkg.InTest(l.d.f) }

func (l *lateWake) finding(doubts finding.Doubts) finding.Finding {
	d := l.d
	f := finding.Finding{
		Pos: d.pos(l.act), Category: checkThenAct, Doubts: doubts,
		Message: fmt.Sprintf("%s is removed here after a wait until %s as it was read at line %d; %s (%s) may have written it while this has waited for the time, or for the lock, and it is not read again",
			d.f.NameOf(l.act), l.name(), d.line(d.pos(l.until)), l.writer.Func, l.writer.Pos.Text),
		Notes: []finding.Note{{Pos: d.pos(l.until), Message: l.name() + " is read here"}},
	}
	if l.writer.Pos.Pos.IsValid() {
		f.Notes = append(f.Notes, finding.Note{Pos: l.writer.Pos.Pos, Message: "it is written here, by " + l.writer.Func})
	}
	return f
}
