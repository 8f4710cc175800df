package stalevalue

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// A late wake-up: a goroutine waits until the deadline of an object, which it has read, and then removes the object without
// another read of the deadline, which others may have put off meanwhile.
//
//	go func() {
//		time.Sleep(time.Until(e.expires))
//		s.mu.Lock(); delete(s.m, k); s.mu.Unlock() // WRONG: e.expires may be later by now
//	}()
//
//	func (s *S) touch(k string) { s.mu.Lock(); s.m[k].expires = now.Add(ttl); s.mu.Unlock() }
//
// The removal has neither a data nor a control dependence on the read: only the delay depends on it. A channel that ends the
// wait does not exclude the removal, as the goroutine may have passed the wait and be waiting for the lock.

// A lateWake is a removal after a wait, the read of the deadline, and a writer of the deadline.
type lateWake struct {
	d      *detector
	act    *summary.Event
	wait   counterpart.Wait
	until  *summary.Event // the read of the deadline, in wait.In
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
					w := &info.Writers[i]
					if l := (&lateWake{d, act, wait, until, w}); w.Fn >= 0 && rule.Accept(d.judge, rules, l) {
						d.findings = append(d.findings, l.finding(rules.Doubts(d.judge, l)))
						return
					}
				}
			}
		}
	}
}

// putsOff: another function of the package stores a computed deadline, and the removal is made under a lock.
func (l *lateWake) putsOff() bool {
	return l.writer.Const == "" && len(l.d.f.Locks(l.act)) > 0 && l.puts() != l.wait.In && l.puts() != l.d.f
}

// isOfRemoved: the deadline is a field of the object that is removed. The container has elements of the type that declares the
// field; and the object is the element, or has the key as a field, or is an argument of the callee that makes the removal:
//
//	delete(s.m, k) // s.m[k].expires
//	delete(s.m, e.key) // e.expires
//	e.remove() // delete(e.parent.children, e.name)
//
// A pause that is a setting of the whole container is no deadline of an element, and neither is the delay of a timer that is removed.
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

// removesOwner reports whether the container of the removal has elements of the type that declares the deadline.
func (l *lateWake) removesOwner() bool {
	pkg, loc := l.d.pass.Pkg, l.act.Loc
	owner, ok := pkg.Scope().Lookup(loc.Type()).(*types.TypeName)
	if !ok || loc.Pkg() != pkg.Path() {
		return false
	}
	_, field, _ := strings.Cut(loc.Name(), ".")
	container, _, _ := types.LookupFieldOrMethod(owner.Type(), true, pkg, field)
	if container == nil {
		return false
	}
	table, ok := container.Type().Underlying().(*types.Map)
	return ok && ssautil.IsNamed(table.Elem(), l.until.Loc.Pkg(), l.until.Loc.Type())
}

// outside translates a path of the function that makes the removal, if it is a literal, to the function with the read, in which
// its closure is made.
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
	return l.d.pkg.Processes().Concurrent(l.d.f, accesspath.Unknown, l.writer)
}

// looksAfterwards: the deadline is read again after the wait, or the removal is control dependent on another location that the
// writer of the deadline writes. The presence of the object says nothing of its deadline.
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

// writes reports whether the function that puts the deadline off writes a location itself, other than that of the removal.
func (l *lateWake) writes(loc accesspath.Location) bool {
	return loc != l.act.Loc && slices.ContainsFunc(l.puts().Events, func(w *summary.Event) bool { return w.Writes() && w.Callee == nil && w.Loc == loc })
}

func (l *lateWake) finding(doubts finding.Doubts) finding.Finding {
	d := l.d
	return d.interruption(finding.Finding{
		Pos: d.pos(l.act), Category: checkThenAct, Doubts: doubts,
		Message: fmt.Sprintf("%s is removed here after a wait until %s as it was read at line %d; %s (%s) may have written it while this has waited for the time, or for the lock, and it is not read again",
			d.f.NameOf(l.act), l.name(), d.line(d.pos(l.until)), l.writer.Func, l.writer.Pos.Text),
		Notes: []finding.Note{{Pos: d.pos(l.until), Message: l.name() + " is read here"}},
	}, l.until, l.act, l.writer, "it is written here, by "+l.writer.Func)
}
