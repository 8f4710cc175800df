package stalevalue

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/chanop"
	"github.com/atomvet/atomvet/passes/summary"
)

// An early close: a function closes a channel of its object, and a goroutine that nobody waits for may still send to it.
//
//	func (s *Server) Serve() { go func() { for r := range s.in { s.out <- handle(r) } }() }
//
//	func (s *Server) Stop() { close(s.out) } // WRONG: the goroutine may be about to send, which panics
//
// Stop has to wait for the goroutine first. To look at a flag before the send does not help, unless the look and the send are
// in one section, and the flag is set in another one of the same lock before the close.

// An earlyClose is a close of a channel, and a send to it by another function.
type earlyClose struct {
	d     *detector
	close ssa.CallInstruction
	ref   accesspath.Ref  // of the channel, for the function that closes it
	locks []lockset.Guard // held at the close
	send  chanop.Op
}

func (e *earlyClose) String() string {
	return fmt.Sprintf("early-close: closed at line %d, sent to by %s (%s), in %s", e.d.line(e.close.Pos()), e.send.By.Func, e.send.By.Pos.Text, summary.Name(e.d.f.Fn))
}

func (e *earlyClose) Positions() []token.Pos { return []token.Pos{e.close.Pos(), e.d.f.Fn.Pos()} }

// earlyCloses reports such closes, each once.
func (d *detector) earlyCloses(rules rule.Set[*earlyClose]) {
	if d.f.Test {
		return
	}
	d.f.VisitHeld(func(instr ssa.Instruction, locks []lockset.Guard) {
		call, ok := instr.(ssa.CallInstruction)
		if !ok || ssautil.Builtin(call.Common()) != "close" {
			return
		}
		ch := call.Common().Args[0]
		for _, op := range d.channels.Ops(callgraph.ChanLocation(ch)) {
			e := &earlyClose{d, call, d.f.Resolver().Resolve(ch), locks, op}
			if op.Sends && op.By.Fn != d.f.ID && op.Chan != nil && rule.Accept(d.judge, rules, e) {
				d.findings = append(d.findings, e.finding(rules.Doubts(d.judge, e)))
				break
			}
		}
	})
}

// sender returns the function that sends.
func (e *earlyClose) sender() *summary.Func { return e.d.pkg.Funcs[e.send.By.Fn] }

// isOwn: the channel belongs to the receiver of the method that closes it, to an object that a literal has captured, or to the
// package. The owner of an argument, or of an element of a container, is another function (ownership).
func (e *earlyClose) isOwn() bool { return e.d.isOwnChannel(e.ref) }

// isOwnChannel reports whether a channel is owned as isOwn of earlyClose and secondClose ask.
func (d *detector) isOwnChannel(ref accesspath.Ref) bool {
	base := ref.Base
	if base.IsLocal() || len(base.Keys()) > 0 {
		return false
	}
	return base.IsFree() || base.IsGlobal() || d.f.Fn.Signature.Recv() != nil && base.Root() == accesspath.Param(0)
}

// stillRuns: a goroutine that the package starts may still send.
func (e *earlyClose) stillRuns() bool {
	g := e.sender()
	its := g.Resolver().Resolve(e.send.Chan).Base
	if its.IsLocal() {
		return false // a channel of a message, or of one of many objects
	}
	return e.d.pkg.Processes().StillRuns(
		process.Activity{F: e.d.f, Base: e.ref.Base, At: e.close},
		process.Activity{F: g, Base: its, At: e.send.Instr},
	)
}

// isReplaced: the close and the send are under one lock, and the closing function puts another channel in the place of the
// one that it closes, or nil: what is sent to is not closed.
//
//	s.mu.Lock(); close(s.changed); s.changed = make(chan struct{}); s.mu.Unlock()
func (e *earlyClose) isReplaced() bool {
	return share(e.send.Locks, e.locks) && e.changes(e.ref.Loc)
}

// isAsked: the send is decided by a look in the same section, which is taken to be at what changes before the close. A look at
// what the closing function changes, in a section of its own, is a finding about the send: see closed-channel.
//
//	s.mu.Lock()
//	if !s.closed { s.out <- r } // Stop sets s.closed under s.mu before it closes s.out
//	s.mu.Unlock()
func (e *earlyClose) isAsked() bool {
	g := e.sender()
	held := make(map[ssa.Instruction][]lockset.Guard)
	g.VisitHeld(func(instr ssa.Instruction, locks []lockset.Guard) { held[instr] = locks })
	return slices.ContainsFunc(g.Events, func(r *summary.Event) bool {
		return r.Reads() && (share(held[r.Instr], e.send.Locks) || len(r.Holds) > 0 && e.changes(r.Loc)) && g.Decides(r, e.send.Instr.Block())
	})
}

// changes reports whether the function that closes writes a location; the close itself changes no variable.
func (e *earlyClose) changes(l accesspath.Location) bool {
	return slices.ContainsFunc(e.d.f.Events, func(w *summary.Event) bool { return w.Writes() && w.Op&summary.Content == 0 && w.Loc == l })
}

// share reports whether two lists have a lock of one class.
func share(a, b []lockset.Guard) bool {
	return slices.ContainsFunc(a, func(g lockset.Guard) bool {
		return slices.ContainsFunc(b, func(o lockset.Guard) bool { return o.Class == g.Class })
	})
}

func (e *earlyClose) finding(doubts finding.Doubts) finding.Finding {
	d, by, ref := e.d, e.send.By, e.ref
	closed := &summary.Event{Instr: e.close, Ref: ref, Op: summary.Write}
	return d.interruption(finding.Finding{
		Pos: e.close.Pos(), Category: checkThenAct, Doubts: doubts,
		Message: fmt.Sprintf("%s is closed here, and nobody waits for the goroutine in which %s (%s) may still send to it: the send panics then",
			ref.Loc.Name(), by.Func, by.Pos.Text),
		Group: d.group("close"),
	}, useOf(closed, e.close), closed, &by, "it is sent to here, by "+by.Func)
}
