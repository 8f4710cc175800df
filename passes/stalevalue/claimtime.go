package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"github.com/atomvet/atomvet/passes/summary"
)

// A time stamp is a claim if the act is made as the stamp is old, or not there: the new one says that it has been done, so that the next
// goroutine does not do it. Two that have both found the old one both hold the claim.
//
//	if time.Since(s.sent(to)) < time.Hour { return errSoon }
//	s.setSent(to, time.Now())
//	return s.mail.Send(to)
//
// A stamp that has to be young for the act is no claim, as that of a lease which is extended as long as it is valid.

// setsClock: the act writes the current time.
//
//	s.mu.Lock(); old := time.Since(s.seen) > time.Minute; s.mu.Unlock()
//	if old { s.mu.Lock(); s.seen = time.Now(); s.mu.Unlock() }
//
// It is a coarse time stamp: either value is right. So it is if the time is that of a clock
// of the program, a variable to which only the current time is written:
//
//	if now := clock.Load(); s.seen.Load() < now-60 { s.seen.Store(now) }
//
// A stamp that is a claim is another matter, and so is one that is put into a container, in which there was room for it, or as it was
// there before, while others remove it.
func (c *candidate) setsClock() bool {
	return (c.act.Clock() || c.setsKeptTime()) && c.read.Key == c.act.Key && !c.claimsTime() && !c.restores()
}

// restores reports whether an element was found, and only that, and a rival may remove it before the act puts it in again.
func (c *candidate) restores() bool {
	return c.act.Key != "" && c.d.f.HasFound(c.read, c.act.Instr.Block()) && c.hasRemover()
}

func (c *candidate) setsKeptTime() bool {
	w := c.act
	if w.Callee != nil || len(w.Inputs) == 0 || ssautil.IsReference(w.Inputs[0].Type()) || len(w.Data) == 0 {
		return false
	}
	return !slices.ContainsFunc(w.Data, func(i int) bool {
		info := c.d.pkg.Location(c.d.f.Events[i].Loc)
		return info.Constant() || !info.ClockOnly
	})
}

// claimsTime reports whether the time stamp is a claim: an effect that other goroutines see depends on it, or a result that tells the
// caller that it has acted.
func (c *candidate) claimsTime() bool {
	return c.needsOld() && (c.tellsCallers() && !c.followsWork() || c.hasEffects(c.isDone))
}

// followsWork reports whether the act is control dependent on the success of another operation. The stamp of data that was fetched tells
// the caller that they are up to date, whoever has fetched them, and is no claim.
func (c *candidate) followsWork() bool {
	for f := range branch.At(c.act.Instr.Block()) {
		if f.Nil() && ssautil.IsError(f.Subject.Type()) {
			return true
		}
	}
	return false
}

// needsOld reports whether the act is control dependent on a stamp that is old, or absent.
func (c *candidate) needsOld() bool {
	if c.testsPresence() && (c.foundNothing() || c.toldNothing()) {
		return true
	}
	in, at := c.decision()
	for _, br := range in.d.f.Deciding(at) {
		t := trend{in.d, in.read.Loc, in.read.Values, make(map[ssa.Value]int)}.of(br.Cond, limit.TrendDepth)
		if t < 0 && in.d.only(br, 0, at) || t > 0 && in.d.only(br, 1, at) {
			return true
		}
	}
	return false
}

// isDone reports whether an instruction has an effect that other goroutines see, or is an operation after the act: an operation before it
// may be the check of which the stamp has the time. A go statement does not count, as the goroutine revalidates, nor does a call of a
// function value that yields something else than an error, as it may only look something up.
func (c *candidate) isDone(instr ssa.Instruction) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok || funcsum.StartsAtOnce(instr) {
		return !ok && isVisible(instr)
	}
	sig := call.Common().Signature()
	return c.d.operates(instr, limit.OperationDepth) && ssautil.Precedes(c.act.Instr, instr) ||
		isVisible(instr) && (sig.Results().Len() == 0 || sig.Results().Len() == 1 && mayFail(sig))
}

// A trend says in which way a value is monotone in a time stamp: 1 if it increases with the stamp, -1 if it decreases, and 0 if neither is
// known. A truth value increases from false to true.
//
//	time.Since(stamp)            // -1
//	time.Since(stamp) > limit    // -1
//	stamp.Add(limit).Before(now) // -1
type trend struct {
	d     *detector
	loc   accesspath.Location // of the stamp
	stamp []ssa.Value         // what has been read there
	known map[ssa.Value]int   // results, 0 while they are computed
}

func (t trend) of(v ssa.Value, depth int) int {
	if depth == 0 {
		return 0
	}
	way, known := t.known[v]
	if !known {
		t.known[v] = 0
		way = t.compute(v, depth)
		t.known[v] = way
	}
	return way
}

func (t trend) compute(v ssa.Value, depth int) int {
	if slices.Contains(t.stamp, v) {
		if call, result := ssautil.CallOf(v); call != nil {
			if f := t.d.pkg.FuncOf(call.Call.StaticCallee()); f != nil {
				return t.told(f, result, depth-1)
			}
		}
		return 1
	}
	switch v := v.(type) {
	case *ssa.Convert:
		return t.of(v.X, depth-1)
	case *ssa.ChangeType:
		return t.of(v.X, depth-1)
	case *ssa.UnOp:
		if v.Op == token.NOT || v.Op == token.SUB {
			return -t.of(v.X, depth-1)
		}
	case *ssa.BinOp:
		switch v.Op {
		case token.MUL, token.QUO:
			if _, factor := v.Y.(*ssa.Const); factor {
				return t.of(v.X, depth-1) // of a unit of time
			}
		case token.ADD:
			return join(t.of(v.X, depth-1), t.of(v.Y, depth-1))
		case token.SUB, token.GTR, token.GEQ:
			return join(t.of(v.X, depth-1), -t.of(v.Y, depth-1))
		case token.LSS, token.LEQ:
			return join(-t.of(v.X, depth-1), t.of(v.Y, depth-1))
		}
	case *ssa.Phi:
		return t.ofAll(v.Edges, depth-1)
	case *ssa.Call:
		return t.ofCall(&v.Call, depth)
	}
	return 0
}

// ofCall is the trend of the result of a call.
func (t trend) ofCall(c *ssa.CallCommon, depth int) int {
	callee := c.StaticCallee()
	if callee == nil {
		return 0
	}
	out := 0
	for i, order := range stdlib.OfFunc(ssautil.Object(callee)).Order {
		if i < len(c.Args) && order != 0 {
			out = join(out, order*t.of(c.Args[i], depth-1))
		}
	}
	return out
}

// told is the trend of a result of a function of the package that reads the stamp itself.
//
//	func (d *Desk) tooSoon(to string) bool { d.mu.Lock(); defer d.mu.Unlock(); return time.Since(d.sent[to]) < time.Hour }
func (t trend) told(f *summary.Func, result, depth int) int {
	var stamp []ssa.Value
	for _, e := range f.Events {
		if e.Reads() && e.Loc == t.loc {
			stamp = append(stamp, e.Values...)
		}
	}
	var results []ssa.Value
	for _, ret := range ssautil.Returns(f.Fn) {
		results = append(results, ssautil.Returned(ret, result))
	}
	return trend{t.d, t.loc, stamp, make(map[ssa.Value]int)}.ofAll(results, depth)
}

// ofAll is the trend that all of some values have, but constants.
func (t trend) ofAll(values []ssa.Value, depth int) int {
	out := 0
	for _, v := range values {
		if _, constant := v.(*ssa.Const); constant {
			continue
		}
		way := t.of(v, depth)
		if way == 0 || out != 0 && way != out {
			return 0
		}
		out = way
	}
	return out
}

// join is the trend of what depends on two values, if only one of them depends on the stamp.
func join(a, b int) int {
	if a != 0 && b != 0 {
		return 0
	}
	return a + b
}
