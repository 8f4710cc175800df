package stalevalue

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/chanop"
	"github.com/atomvet/atomvet/passes/summary"
)

// An asked length: a function asks how many values are in the buffer of a channel, and then makes an
// operation that does not block if the answer is still true.
//
//	if len(s.queue) == cap(s.queue) {
//		<-s.queue // WRONG: the receiver may have emptied it
//	}
//
// Another goroutine that makes the same operation may come in between, R(n) W'(n) W(n), and the function
// waits for what it has not expected. A select statement with a default case is both in one step.

// An askedLength is a branch on the length of a channel, an operation that relies on it, and the
// operation of another goroutine that may come in between.
type askedLength struct {
	d        *detector
	asked    *ssa.Call // of len
	ch       accesspath.Location
	op       ssa.Instruction
	receives bool
	full     bool            // the question is whether the buffer is full
	locks    []lockset.Guard // held from the question to the operation
	other    chanop.Op
}

// String describes the candidate for -why.
func (a *askedLength) String() string {
	return fmt.Sprintf("asked-length: the length of %s is asked at line %d, and relied on at line %d, with %s at line %s",
		a.ch.Name(), a.d.line(a.asked.Pos()), a.d.line(a.op.Pos()), a.other.By.Func, a.other.By.Pos.Text)
}

// Positions returns those of the operation, of the question and of the function.
func (a *askedLength) Positions() []token.Pos {
	return []token.Pos{a.op.Pos(), a.asked.Pos(), a.d.f.Fn.Pos()}
}

// askedLengths reports such operations, one for each question.
func (d *detector) askedLengths(rules rule.Set[*askedLength]) {
	var questions []*askedLength
	for _, b := range d.f.Fn.Blocks {
		if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
			questions = append(questions, d.reliances(br)...)
		}
	}
	if len(questions) == 0 {
		return
	}
	held := make(map[ssa.Instruction][]lockset.Guard)
	d.f.VisitHeld(func(instr ssa.Instruction, locks []lockset.Guard) { held[instr] = locks })
	for _, a := range questions {
		for _, g := range held[a.op] {
			if slices.Contains(held[a.asked], g) && !d.f.Order().EndsBetween(a.asked, a.op, g.Path) {
				a.locks = append(a.locks, g)
			}
		}
		for _, a.other = range d.channels.Ops(a.ch) {
			if rule.Accept(d.judge, rules, a) {
				d.findings = append(d.findings, a.finding())
				break
			}
		}
	}
}

// reliances returns the operations that rely on the answer of a branch on the length of a channel, the
// first on each side.
func (d *detector) reliances(br *ssa.If) []*askedLength {
	asked, values, full, ok := lengthTest(br.Cond)
	if !ok {
		return nil
	}
	ch := asked.Call.Args[0]
	loc := callgraph.ChanLocation(ch)
	if loc == "" {
		return nil
	}
	var out []*askedLength
	for side, to := range br.Block().Succs {
		if len(to.Preds) != 1 {
			continue
		}
		receives := (side == 0) == values
		if op := d.blocking(to, ch, receives); op != nil {
			out = append(out, &askedLength{d: d, asked: asked, ch: loc, op: op, receives: receives, full: full})
		}
	}
	return out
}

// lengthTest returns the call of len for a channel whose result a condition compares with the capacity or
// with zero, whether there are values where the condition holds; where it does not, there is room; and whether it is the capacity.
func lengthTest(cond ssa.Value) (asked *ssa.Call, values, full, ok bool) {
	cmp, isCmp := cond.(*ssa.BinOp)
	if !isCmp {
		return nil, false, false, false
	}
	x, y, op := cmp.X, cmp.Y, cmp.Op
	if builtinOf(y, "len") != nil {
		x, y, op = y, x, ssautil.Mirrored[op]
	}
	asked = builtinOf(x, "len")
	if asked == nil {
		return nil, false, false, false
	}
	if _, isChan := asked.Call.Args[0].Type().Underlying().(*types.Chan); !isChan {
		return nil, false, false, false
	}
	if of := builtinOf(y, "cap"); of != nil {
		switch op {
		case token.EQL, token.GEQ:
			return asked, true, true, true
		case token.NEQ, token.LSS:
			return asked, false, true, true
		}
		return nil, false, false, false
	}
	switch is := branch.Alone(cond, true); {
	case is.NonEmpty():
		return asked, true, false, true
	case is.Empty():
		return asked, false, false, true
	}
	return nil, false, false, false
}

// builtinOf returns v if it is a call of a builtin function.
func builtinOf(v ssa.Value, name string) *ssa.Call {
	if c, ok := v.(*ssa.Call); ok {
		if ssautil.Builtin(&c.Call) == name {
			return c
		}
	}
	return nil
}

// blocking returns the first receive from a channel, or send to it, that is only made where control has
// entered a block.
func (d *detector) blocking(in *ssa.BasicBlock, ch ssa.Value, receives bool) ssa.Instruction {
	for _, b := range d.f.Fn.Blocks {
		if !in.Dominates(b) {
			continue
		}
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.UnOp:
				if receives && instr.Op == token.ARROW && d.sameChannel(instr.X, ch) {
					return instr
				}
			case *ssa.Send:
				if !receives && d.sameChannel(instr.Chan, ch) {
					return instr
				}
			}
		}
	}
	return nil
}

func (d *detector) sameChannel(a, b ssa.Value) bool {
	p, q := d.f.Res.Resolve(a).Path, d.f.Res.Resolve(b).Path
	return a == b || p != accesspath.Unknown && p == q
}

// competes: the other operation takes away what the function relies on, a value or a place. Many send, but
// a function that receives is mostly alone in that: another run of it is no competitor, unless it takes out a token that it gives back.
func (a *askedLength) competes() bool {
	if a.receives {
		return a.other.Receives && (a.other.By.Fn != a.d.f.ID || a.givesBack())
	}
	return a.other.Sends
}

// givesBack reports whether the function asks for a token, and sends one back after the receive: the channel is a semaphore, for which
// several runs compete.
//
//	<-s.idle
//	s.work()
//	s.idle <- struct{}{}
func (a *askedLength) givesBack() bool {
	return !a.full && slices.ContainsFunc(a.d.channels.Ops(a.ch), func(o chanop.Op) bool {
		return o.Sends && (o.By.Fn == a.d.f.ID && a.mustSend(o.Instr) || o.By.Fn >= 0 && a.defers(a.d.pkg.Funcs[o.By.Fn].Fn))
	})
}

// mustSend reports whether every path from the receive to a return passes the send.
func (a *askedLength) mustSend(send ssa.Instruction) bool {
	order := a.d.f.Order()
	return order.Flows(a.op, send) && !slices.ContainsFunc(ssautil.Returns(a.d.f.Fn), func(ret *ssa.Return) bool {
		return order.Flows(a.op, ret) && !order.MustPass(a.op, send, ret)
	})
}

// defers reports whether the function defers a call of fn.
func (a *askedLength) defers(fn *ssa.Function) bool {
	for _, b := range a.d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if deferred, ok := instr.(*ssa.Defer); ok && ssautil.Target(&deferred.Call) == fn {
				return true
			}
		}
	}
	return false
}

// excludes: both hold a lock from the question to the operation, one of them for itself alone.
//
//	s.mu.Lock()
//	if len(s.queue) < cap(s.queue) { s.queue <- x } // all that send hold s.mu
//	s.mu.Unlock()
func (a *askedLength) excludes() bool {
	return slices.ContainsFunc(a.locks, func(g lockset.Guard) bool {
		return slices.ContainsFunc(a.other.Locks, func(h lockset.Guard) bool {
			return g.Class == h.Class && (g.Mode == lockset.Exclusive || h.Mode == lockset.Exclusive)
		})
	})
}

// hasRival: the other function can run in between.
func (a *askedLength) hasRival() bool {
	base := accesspath.Unknown
	if l, ok := a.asked.Call.Args[0].(*ssa.UnOp); ok {
		base = a.d.f.Res.Resolve(l.X).Base
	}
	return rival{d: a.d, writer: &a.other.By, base: base}.runs()
}

func (a *askedLength) finding() finding.Finding {
	d, name, by := a.d, a.ch.Name(), a.other.By
	does, harm := "receive", "empty"
	if !a.receives {
		does, harm = "send", "full"
	}
	ref := d.f.Res.Resolve(a.asked.Call.Args[0])
	asked, done := &summary.Event{Instr: a.asked, Ref: ref}, &summary.Event{Instr: a.op, Ref: ref, Op: summary.Write}
	return d.interruption(finding.Finding{
		Pos: ssautil.Pos(a.op), Category: checkThenAct,
		Message: fmt.Sprintf("the length of %s was asked at line %d, and %s (%s) may %s before this %s does: then it is %s, and this waits",
			name, d.line(a.asked.Pos()), by.Func, by.Pos.Text, does, does, harm),
		Notes: []finding.Note{{Pos: a.asked.Pos(), Message: "the length is asked here"}},
		Group: fmt.Sprint(d.f.Fn.Pos(), " length ", a.ch),
	}, asked, done, &by, "this comes in between, by "+by.Func)
}
