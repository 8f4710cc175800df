package stalevalue

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A lateReply is an entry into a table of those who wait for answers that is made after the request has been sent. The
// goroutine that receives the answers may look for it before, and drops the answer.
//
//	id := c.last.Add(1)
//	c.link.Send(Frame{ID: id})
//	answer := make(chan Frame, 1)
//	c.waiting.Store(id, answer) // WRONG: before the request is sent
//	return <-answer
//
// The request has the key of the entry in it, and leaves the function through a channel or an interface. Or the operation that is begun
// returns the key:
//
//	pid, err := s.runtime.Start(id)
//	s.running[pid] = p // WRONG: the process may have ended, and the goroutine that handles its end found no entry
type lateReply struct {
	d     *detector
	sent  ssa.Instruction
	put   *summary.Event
	other summary.Writer // finds the entry
}

func (l *lateReply) String() string {
	return fmt.Sprintf("late-reply: sent at line %d, %s at line %d, %s in between, in %s",
		l.d.line(l.sent.Pos()), l.d.f.NameOf(l.put), l.d.line(l.d.pos(l.put)), l.other.Func, summary.Name(l.d.f.Fn))
}

func (l *lateReply) Positions() []token.Pos {
	return []token.Pos{l.d.pos(l.put), l.sent.Pos(), l.d.f.Fn.Pos()}
}

// lateReplies reports such entries.
func (d *detector) lateReplies(rules rule.Set[*lateReply]) {
	for _, put := range d.f.Events {
		if !put.Writes() || put.Op&summary.Delete != 0 || put.Key == "" || len(put.Holds) == 0 {
			continue
		}
		key := d.f.Res.Definition(put.Key.Path().Root())
		other, ok := d.others.Settles(put.Loc)
		if !ok || key == nil || other.Fn == d.f.ID {
			continue
		}
		if sent := d.sentBefore(put, key); sent != nil {
			l := &lateReply{d, sent, put, other}
			if rule.Accept(d.judge, rules, l) {
				d.findings = append(d.findings, l.finding(rules.Doubts(d.judge, l)))
			}
		}
	}
}

// sentBefore returns an instruction before an entry that sends something which depends on the key, or nil.
func (d *detector) sentBefore(put *summary.Event, key ssa.Value) ssa.Instruction {
	if call, _ := ssautil.CallOf(key); call != nil && isRequest(d.f, &call.Call) {
		return call
	}
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if instr != put.Instr && d.sends(d.f, instr, key, 2) && d.f.Paths().Forward(instr, put.Instr) && !d.f.Paths().Forward(put.Instr, instr) {
				return instr
			}
		}
	}
	return nil
}

// sends reports whether an instruction of f sends something that depends on a value to a channel, or has it in a request. Callees up to the
// given depth count.
func (d *detector) sends(f *summary.Func, instr ssa.Instruction, v ssa.Value, depth int) bool {
	depends := func(x ssa.Value) bool { return x != nil && f.Slice(x).Has(v) }
	switch instr := instr.(type) {
	case *ssa.Send:
		return depends(instr.X)
	case *ssa.Select:
		return slices.ContainsFunc(instr.States, func(st *ssa.SelectState) bool { return depends(st.Send) })
	case *ssa.Call:
		c := &instr.Call
		if c.IsInvoke() {
			return isRequest(f, c) && slices.ContainsFunc(c.Args, depends)
		}
		callee := d.pkg.FuncOf(c.StaticCallee())
		if callee == nil || depth == 0 {
			return false
		}
		for i, arg := range c.Args {
			if i < len(callee.Fn.Params) && depends(arg) && d.sendsParam(callee, callee.Fn.Params[i], depth-1) {
				return true
			}
		}
	}
	return false
}

// isRequest reports whether a call is of a method of an interface that is not f's own, and may fail, as what leaves the program may.
func isRequest(f *summary.Func, c *ssa.CallCommon) bool {
	return c.IsInvoke() && mayFail(c.Signature()) && !f.Res.Resolve(c.Value).Path.IsLocal()
}

func (d *detector) sendsParam(f *summary.Func, prm ssa.Value, depth int) bool {
	return ssautil.AnyInstr(f.Fn, func(instr ssa.Instruction) bool { return d.sends(f, instr, prm, depth) })
}

// hasRival: the function that finds the entry runs beside this one, and needs no lock that is held from the request to
// the entry.
func (l *lateReply) hasRival() bool {
	var held []accesspath.Location
	for _, h := range l.put.Holds {
		if l.d.spans(h, l.sent, l.put) {
			held = append(held, h.Class)
		}
	}
	return rival{d: l.d, writer: &l.other, base: l.put.Base, held: held}.runs()
}

// isAskedByUser: the rival is an exported method with the key as a parameter. Its callers get the key from this function, after the entry was
// made, and no message is lost.
//
//	func (s *Service) Remove(id string) error { … close(s.boxes[id].stopped) … }
func (l *lateReply) isAskedByUser() bool {
	f := l.d.pkg.Funcs[l.other.Fn]
	return token.IsExported(f.Fn.Name()) && slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
		key := e.Key.Path()
		return e.Loc == l.put.Loc && e.Pos.Text == l.other.Pos.Text && key.IsParam() && key == key.Root()
	})
}

// looksForEarly: whether the entry is made is decided, in its section, by a look for the key in another container, in which answers are kept that
// have come before.
//
//	if _, ended := s.early[pid]; !ended { s.running[pid] = p }
func (l *lateReply) looksForEarly() bool {
	return slices.ContainsFunc(l.put.Control, func(i int) bool {
		e := l.d.f.Events[i]
		return e.Reads() && e.Loc != l.put.Loc && accesspath.SameElement(e.Key, l.put.Key) && l.d.oneSection(e, l.put)
	})
}

func (l *lateReply) finding(doubts finding.Doubts) finding.Finding {
	d := l.d
	return d.interruption(finding.Finding{
		Pos: d.pos(l.put), Category: checkThenAct, Doubts: doubts,
		Message: fmt.Sprintf("what has the key of %s is sent at line %d, and the entry is made here; %s (%s) may look for it in between, and not find it",
			d.f.NameOf(l.put), d.line(l.sent.Pos()), l.other.Func, l.other.Pos.Text),
		Notes: []finding.Note{{Pos: l.sent.Pos(), Message: "it is sent here"}},
	}, useOf(l.put, l.sent), l.put, &l.other, "the entry is looked for here, by "+l.other.Func)
}
