package viewconsistency

import (
	"fmt"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// An overtaken message: a goroutine is started, and the message of its start is sent afterwards, on a channel to which the
// goroutine sends a message about the same subject.
//
//	go s.wait(id) // at its end: s.events <- event{exited, id}
//	s.events <- event{created, id} // WRONG: exited may be received first
//
// The receiver takes the order of the messages for the order of the events: created has to be sent before the go statement.

// An overtaken message is a send after a go statement, and a send by the goroutine on the same channel.
type overtaken struct {
	d      *detector
	start  *ssa.Go
	send   *ssa.Send
	callee summary.Callee
	late   *ssa.Send // of the callee
}

// String describes the candidate for -why.
func (o *overtaken) String() string {
	return fmt.Sprintf("overtaken message: a goroutine is started at line %d before the send to %s at line %d", o.d.line(ssautil.Pos(o.start)), o.name(), o.d.line(ssautil.Pos(o.send)))
}

// Positions returns those of the send, of the start and of the function.
func (o *overtaken) Positions() []token.Pos {
	return []token.Pos{ssautil.Pos(o.send), ssautil.Pos(o.start), o.d.f.Fn.Pos()}
}

func (o *overtaken) name() string { return callgraph.ChanLocation(o.send.Chan).Name() }

// overtakenMessages reports the first message that may be overtaken by each goroutine.
func (d *detector) overtakenMessages(rules rule.Set[*overtaken]) []finding.Finding {
	sends := slices.Collect(sendsOf(d.f.Fn))
	if len(sends) == 0 {
		return nil
	}
	var out []finding.Finding
	for s := range d.spawned() {
		start, own := s.start.(*ssa.Go)
		if !own || start.Call.StaticCallee() == nil || d.pkg.Of(*s.runs()) == d.f {
			continue
		}
		if o := d.overtaken(start, *s.runs(), sends, rules); o != nil {
			out = append(out, o.finding(rules.Doubts(d.judge, o)))
		}
	}
	return out
}

// overtaken returns the candidate for the first of the sends that may happen after a send of the goroutine, or nil.
func (d *detector) overtaken(start *ssa.Go, callee summary.Callee, sends []*ssa.Send, rules rule.Set[*overtaken]) *overtaken {
	for _, send := range sends {
		if !d.f.Order().Flows(start, send) {
			continue
		}
		for late := range sendsOf(callee.Func.Fn) {
			if callgraph.ChanLocation(late.Chan) != callgraph.ChanLocation(send.Chan) {
				continue
			}
			if o := (&overtaken{d, start, send, callee, late}); rule.Accept(d.judge, rules, o) {
				return o
			}
		}
	}
	return nil
}

// sendsOf yields the sends of a function to channels that are in fields.
func sendsOf(fn *ssa.Function) iter.Seq[*ssa.Send] {
	return func(yield func(*ssa.Send) bool) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if send, ok := instr.(*ssa.Send); ok && callgraph.ChanLocation(send.Chan) != "" && !yield(send) {
					return
				}
			}
		}
	}
}

// isOfOneObject: the two channels are those of one object.
func (o *overtaken) isOfOneObject() bool {
	here := o.callee.Translate(o.d.pkg.Of(o.callee).Resolver().Resolve(o.late.Chan).Path)
	return here != accesspath.Unknown && here == o.d.f.Resolver().Resolve(o.send.Chan).Path
}

// isOfOneThing: both messages depend on one argument of the goroutine, which names their subject.
func (o *overtaken) isOfOneThing() bool {
	params := o.callee.Func.Fn.Params
	message, late := o.d.f.Slice(o.send.X), o.callee.Func.Slice(o.late.X)
	for i, arg := range o.start.Call.Args {
		if i < len(params) && late.Has(params[i]) && shareSubject(message, o.d.f.Slice(arg)) {
			return true
		}
	}
	return false
}

// shareSubject reports whether two slices have the result of a call, or a name that was given to the function, in common.
func shareSubject(a, b depgraph.Slice) bool {
	return slices.ContainsFunc(a, func(v ssa.Value) bool {
		if _, isName := v.Type().Underlying().(*types.Basic); !isName || !b.Has(v) {
			return false
		}
		switch v.(type) {
		case *ssa.Parameter, *ssa.Call, *ssa.Extract:
			return true
		}
		return false
	})
}

// waitsForSend: the goroutine waits for a channel on which the function sends, or which it closes, after the first message.
//
//	go s.wait(id, told) // <-told
//	s.events <- event{created, id}
//	close(told)
func (o *overtaken) waitsForSend() bool {
	for _, b := range o.callee.Func.Fn.Blocks {
		for _, instr := range b.Instrs {
			recv, ok := instr.(*ssa.UnOp)
			if !ok || recv.Op != token.ARROW {
				continue
			}
			i := slices.IndexFunc(o.callee.Func.Fn.Params, func(p *ssa.Parameter) bool { return ssa.Value(p) == recv.X })
			if i >= 0 && o.signals(o.start.Call.Args[i]) {
				return true
			}
		}
	}
	return false
}

// signals reports whether the function closes a channel, or sends on it, after the first message.
func (o *overtaken) signals(ch ssa.Value) bool {
	return slices.ContainsFunc(ssautil.Uses(ch), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.Send:
			return o.d.f.Order().Flows(o.send, use)
		case *ssa.Call:
			return ssautil.Builtin(&use.Call) == "close" && o.d.f.Order().Flows(o.send, use)
		}
		return false
	})
}

func (o *overtaken) finding(doubts finding.Doubts) finding.Finding {
	d := o.d
	ch := d.f.Resolver().Resolve(o.send.Chan)
	ch.Loc = callgraph.ChanLocation(o.send.Chan)
	return finding.Finding{
		Pos: ssautil.Pos(o.send), Category: earlyWrite, Doubts: doubts,
		Message: fmt.Sprintf("%s is sent to here, after the goroutine was started at line %d that sends to it, too (%s): the receiver may learn of what came later first",
			o.name(), d.line(ssautil.Pos(o.start)), d.pkg.Guards().Pos(ssautil.Pos(o.late)).Text),
		Notes: []finding.Note{{Pos: ssautil.Pos(o.start), Message: "the goroutine is started here"}, {Pos: ssautil.Pos(o.late), Message: "it sends here"}},
		Anchors: d.pkg.Anchors(summary.Split{
			Fset: d.pass.Fset, Func: d.f,
			Check: &summary.Event{Instr: o.start, Ref: ch, Op: summary.Write}, Act: &summary.Event{Instr: o.send, Ref: ch, Op: summary.Write},
		}),
	}
}
