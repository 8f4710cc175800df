package stalevalue

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A second close: a function closes a channel of its object, two goroutines may come there, and nothing on their ways asks whether that
// has been done.
//
//	func (s *Server) Close() { s.mu.Lock(); s.closed = true; s.mu.Unlock(); close(s.done) } // WRONG: closes it again
//
//	func (s *Server) serve() { …; if fatal(err) { s.Close(); return } }
//
// The closing function must set a latch that other functions test, without testing it itself: the latch is evidence that the function may be
// called when the channel is closed already. Without a latch, the callers mostly exclude each other by a protocol of their own. That an exported
// function is called once is mostly a contract of its callers.

// A secondClose is a close of a channel.
type secondClose struct {
	d     *detector
	close ssa.CallInstruction
	ref   accesspath.Ref // of the channel, for the function that closes it
}

func (s *secondClose) String() string {
	return fmt.Sprintf("second-close: closed at line %d, in %s", s.d.line(s.close.Pos()), summary.Name(s.d.f.Fn))
}

func (s *secondClose) Positions() []token.Pos { return []token.Pos{s.close.Pos(), s.d.f.Fn.Pos()} }

// secondCloses reports such closes.
func (d *detector) secondCloses(rules rule.Set[*secondClose]) {
	if d.f.Test {
		return
	}
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok || ssautil.Builtin(call.Common()) != "close" {
				continue
			}
			s := &secondClose{d, call, d.f.Resolver().Resolve(call.Common().Args[0])}
			if rule.Accept(d.judge, rules, s) {
				d.findings = append(d.findings, s.finding(rules.Doubts(d.judge, s)))
			}
		}
	}
}

// isOwn: the channel, or the container that it is in, has a location, and belongs to the receiver of the method, to an object that a literal has
// captured, or to the package.
func (s *secondClose) isOwn() bool { return s.ref.Loc != "" && s.d.isOwnChannel(s.ref) }

// isKept: the channel stays where it is: nobody puts another one in its place, and the function does not take it out of its container.
//
//	close(s.changed); s.changed = make(chan struct{})
func (s *secondClose) isKept() bool {
	if s.ref.Key == "" {
		return s.d.pkg.Location(s.ref.Loc).Constant()
	}
	return !slices.ContainsFunc(s.d.f.Events, func(w *summary.Event) bool { return w.Writes() && w.Op&summary.Content == 0 && w.Loc == s.ref.Loc })
}

// isAsked: the close is control dependent on a branch, other than that of a loop over the channels, or the function recovers from the panic.
//
//	if s.closed { return }
//	s.closed = true
//	close(s.done)
func (s *secondClose) isAsked() bool {
	if slices.ContainsFunc(s.d.f.Deciding(s.close.Block()), func(br *ssa.If) bool { return !isOfRange(br) }) {
		return true
	}
	return ssautil.Recovers(s.d.f.Fn)
}

// isOfRange reports whether a branch is the end of a loop over the elements of a container.
func isOfRange(br *ssa.If) bool { return isRange(br.Cond) || boundsLoop(br) }

// open reports whether a call is made by each goroutine that comes to it, on the same object: the receiver is in a location that is constant after
// construction, and the call is not control dependent on a read of a location that others write, nor on a claim.
func (s *secondClose) open(caller *process.Func, at ssa.Instruction) bool {
	if slices.ContainsFunc(caller.Events, func(r *summary.Event) bool { return s.changes(r) && r.Instr != at && caller.Decides(r, at.Block()) }) {
		return false
	}
	claims := func(br *ssa.If) bool {
		return slices.ContainsFunc(caller.Slice(br.Cond), func(v ssa.Value) bool { return s.mayClaim(caller, v) })
	}
	if slices.ContainsFunc(caller.Deciding(at.Block()), claims) {
		return false
	}
	args := at.(ssa.CallInstruction).Common().Args
	if slices.ContainsFunc(args, func(v ssa.Value) bool { return ssautil.IsFunc(v.Type()) }) {
		return false // the callee may decide whether it calls its argument
	}
	return len(args) == 0 || s.isStable(caller.Resolver().Resolve(args[0]))
}

// isStable reports whether a path always leads to the same object.
func (s *secondClose) isStable(ref accesspath.Ref) bool {
	path := ref.Path
	return path == path.Root() && !path.IsLocal() || !path.IsLocal() && len(path.Keys()) == 0 && s.d.pkg.Location(ref.Loc).Constant()
}

// mayClaim reports whether a value of f may be the outcome of a claim: the chosen case of a select statement, or a boolean or a number that is
// returned by a callee which reads a location that others write, or is in another package.
func (s *secondClose) mayClaim(f *process.Func, v ssa.Value) bool {
	if x, ok := v.(*ssa.Extract); ok && isChoice(x.Tuple) {
		return true
	}
	call, _ := ssautil.CallOf(v)
	if call == nil || ssautil.Builtin(&call.Call) != "" || !ssautil.IsBool(v.Type()) && !ssautil.IsNumber(v.Type()) {
		return false
	}
	in := s.d.in(f).calleesAt(call)
	return len(in) == 0 || slices.ContainsFunc(in, func(g *summary.Func) bool {
		return slices.ContainsFunc(g.Events, s.changes) || ssautil.AnyInstr(g.Fn, func(instr ssa.Instruction) bool {
			v, ok := instr.(ssa.Value)
			return ok && isChoice(v)
		})
	})
}

// isChoice reports whether v is the outcome of a select statement that takes, or fills, a place in a channel if there is one.
//
//	select {
//	case <-s.token:
//		s.shut()
//	default:
//	}
func isChoice(v ssa.Value) bool {
	sel, ok := v.(*ssa.Select)
	return ok && (!sel.Blocking || slices.ContainsFunc(sel.States, func(st *ssa.SelectState) bool { return st.Dir == types.SendOnly }))
}

// changes reports whether an access is a read of what is written after construction.
func (s *secondClose) changes(r *summary.Event) bool {
	return r.Reads() && !s.d.pkg.Location(r.Loc).Constant()
}

// meeting names two concurrent roots that reach the close by open calls, at least one of them a goroutine that the package starts.
func (s *secondClose) meeting() (one, two string, ok bool) {
	procs := s.d.pkg.Processes()
	own, ways := process.Activity{F: s.d.f, Base: s.ref.Base, At: s.close}, procs.WaysTo(s.d.f, s.open)
	return procs.MeetBy(own, ways)
}

// comesTwice: two goroutines may come to the close.
func (s *secondClose) comesTwice() bool {
	_, _, ok := s.meeting()
	return ok
}

// setsFlag: the function sets a latch of the object that another function tests, and does not test it itself.
//
//	s.closed = true // send: if s.closed { return }
func (s *secondClose) setsFlag() bool {
	return slices.ContainsFunc(s.d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && isFlag(s.d.pkg.Location(w.Loc)) && w.Key == "" && len(w.Holds) > 0 && w.Base == s.ref.Base && s.isFinal(w) && s.isAskedFor(w)
	})
}

// isFinal reports whether no other writer overwrites the value of w.
func (s *secondClose) isFinal(w *summary.Event) bool {
	return !slices.ContainsFunc(s.d.pkg.Location(w.Loc).Writers, func(by summary.Writer) bool {
		return by.Const != w.Const && !s.d.writesNotAt(by, w.Loc, w.Const)
	})
}

// isAskedFor reports whether another function tests what w sets, and this one does not.
func (s *secondClose) isAskedFor(w *summary.Event) bool {
	asks := func(f *summary.Func) bool {
		return slices.ContainsFunc(f.Events, func(r *summary.Event) bool { return r.Loc == w.Loc && r.Reads() && f.DecidesBranch(r.Values) })
	}
	return !asks(s.d.f) && slices.ContainsFunc(s.d.pkg.Funcs, func(f *summary.Func) bool { return f != s.d.f && !f.Test && asks(f) })
}

func (s *secondClose) finding(doubts finding.Doubts) finding.Finding {
	d := s.d
	one, two, _ := s.meeting()
	closed := &summary.Event{Instr: s.close, Pos: summary.Pos{Pos: s.close.Pos()}, Ref: s.ref, Op: summary.Write}
	by := d.f.Writer(closed)
	return d.interruption(finding.Finding{
		Pos: s.close.Pos(), Category: checkThenAct, Doubts: doubts,
		Message: fmt.Sprintf("%s is closed here without a look whether it has been closed, and %s and %s may both come here: the second close panics", s.ref.Loc.Name(), one, two),
		Group:   d.group("close"),
	}, useOf(closed, s.close), closed, &by, "")
}
