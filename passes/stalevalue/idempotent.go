package stalevalue

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"github.com/atomvet/atomvet/passes/summary"
)

// An act is idempotent if two goroutines that decide on it at the same time leave what one
// of them would have left, and nothing else depends on the decision.

// onCell limits a rule to acts on what was read. A goroutine
// that waits for a change wants to be the one that acts.
func onCell(c *candidate) bool { return decision(c) && c.sameCell() && !c.waits() }

// setsIfDifferent: the act sets what was read to the value that it was compared with.
//
//	if s.Level() != v {
//		s.SetLevel(v)
//	}
func (c *candidate) setsIfDifferent() bool {
	if len(c.act.Inputs) == 0 {
		return false
	}
	compared := false
	for _, cond := range c.conditions() {
		f := branch.Alone(cond, true)
		if f.Other == nil || f.Relation != branch.Equal && f.Relation != branch.Differs {
			return false
		}
		other := c.comparand(f)
		if !slices.ContainsFunc(c.act.Inputs, func(v ssa.Value) bool { return branch.Plain(v) == other }) {
			return false
		}
		compared = true
	}
	return compared && !c.otherEffects()
}

// comparand returns the value with which a fact compares what was read.
func (c *candidate) comparand(f branch.Fact) ssa.Value {
	if c.d.f.Slice(f.Subject).HasAny(c.read.Values) {
		return f.Other
	}
	return f.Subject
}

// removesPresent: an element that was found is removed.
//
//	if s.Has(k) {
//		s.Delete(k)
//	}
//
// If the element is used afterwards, a rival must not remove it, too: of two goroutines that
// find and remove an element both would go on to use it. An element that is removed because it
// was zero, or had nothing in it, is lost with what has come into it.
//
// So it is if a result says who has removed it, as a claim does; an error says that there was nothing to remove.
//
// The same holds for each of a list of elements that were found.
//
//	for _, c := range h.snapshot() { // all keys of h.clients
//		if !c.push(msg) { h.remove(c) }
//	}
func (c *candidate) removesPresent() bool {
	if c.act.Op&summary.Delete != 0 && c.isOfAll() {
		return !c.writesBeside() && !(c.keyUsedAfterAct() && c.hasRemover())
	}
	return c.act.Op&summary.Delete != 0 && c.testsPresence() && !c.counts() && !c.removesCount() && (c.collected != nil || accesspath.SameElement(c.read.Key, c.act.Key)) &&
		!c.otherEffects() && !c.goesWithOperation(c.conditionSet()) && !c.tells(ssautil.IsBool) && !(c.usedAfterAct() && c.hasRemover())
}

// isOfAll reports whether the act is on an element whose key is an object, in a list of all keys that were read: what decides is that
// the object was there, and what the function has found out of it since. An object is not put in again, as a name is that others use.
func (c *candidate) isOfAll() bool {
	key := c.act.Key.Parts()
	if len(key) == 0 {
		return false
	}
	element := key[len(key)-1].Path()
	list := c.d.f.Res.Definition(element.Root())
	if element.Parent() != element.Root() || list == nil {
		return false // a part of what is in the list
	}
	if object := ssautil.Elem(list.Type()); object == nil || !ssautil.IsReference(object) {
		return false
	}
	name, all := c.d.f.Collected(element, c.read)
	return all.By != nil && name != accesspath.Unknown && all.Read.Loc == c.act.Loc && !slices.ContainsFunc(all.In.Deciding(all.By.Block()), func(br *ssa.If) bool { return !isRange(br.Cond) })
}

// writesBeside reports whether the callee that acts writes something else, too, that is not the object itself.
//
//	h.count--; delete(h.clients, c)
func (c *candidate) writesBeside() bool {
	parts := c.act.Key.Parts()
	object := parts[len(parts)-1].Path()
	return slices.ContainsFunc(c.d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Ord == c.act.Ord && w.Loc != c.act.Loc && !w.Base.Within(object)
	})
}

// isRange reports whether a condition asks whether there is another element.
func isRange(cond ssa.Value) bool {
	e, ok := cond.(*ssa.Extract)
	if !ok {
		return false
	}
	_, next := e.Tuple.(*ssa.Next)
	return next && e.Index == 0
}

// counts reports whether a number decides about the act, such as the length of a list.
func (c *candidate) counts() bool {
	_, conds := c.decisive()
	return slices.ContainsFunc(conds, func(cond ssa.Value) bool {
		f := branch.Alone(cond, true)
		return f.Subject != nil && (ssautil.IsNumber(f.Subject.Type()) || f.Const != nil && f.Const.Kind() == constant.Int)
	})
}

// hasRemover reports whether a rival removes elements.
func (c *candidate) hasRemover() bool {
	return c.anyRival(func(r rival) bool { return r.writer.Effect == summary.Removes && r.runs() })
}

// usedAfterAct reports whether the value that was read, and not only its presence, has an
// effect after the act.
func (c *candidate) usedAfterAct() bool {
	values := slices.DeleteFunc(slices.Clone(c.read.Values), isFlagValue)
	return slices.ContainsFunc(c.d.f.Sinks(), func(k summary.Sink) bool {
		if k.Instr == c.act.Instr || !c.d.f.Order().Flows(c.act.Instr, k.Instr) {
			return false
		}
		target := targetOf(k.Instr)
		return k.Data.HasAny(values) || target != nil && c.d.f.Slice(target).HasAny(values)
	})
}

// keyUsedAfterAct reports whether the key of the act has an effect after the act, before there is another one.
func (c *candidate) keyUsedAfterAct() bool {
	parts := c.act.Key.Parts()
	key := c.d.f.Res.Definition(parts[len(parts)-1].Path())
	return slices.ContainsFunc(c.d.f.Sinks(), func(k summary.Sink) bool {
		return k.Instr != c.act.Instr && k.Data.Has(key) && c.d.f.Order().Exists(summary.Way{From: c.act.Instr, To: k.Instr, Forward: true})
	})
}

// isFlagValue reports whether a value says whether there is one, or is several results at once.
func isFlagValue(v ssa.Value) bool {
	_, many := v.Type().(*types.Tuple)
	return many || ssautil.IsBool(v.Type())
}

// targetOf returns what an instruction has its effect on, besides its operands: the function
// value or interface that it calls, or the channel that it sends to.
func targetOf(instr ssa.Instruction) ssa.Value {
	switch instr := instr.(type) {
	case *ssa.Send:
		return instr.Chan
	case ssa.CallInstruction:
		return instr.Common().Value
	}
	return nil
}

// setsConstant: the act writes a constant.
//
//	if s.Count() > limit {
//		s.SetFull(true)
//	}
//
// It is no step of a state machine, which overwrites another step that was made in between:
//
//	if s.state() == queued {
//		s.setState(cancelled) // a worker may have set running
//	}
func (c *candidate) setsConstant() bool {
	return !c.awaited && c.act.Op&(summary.Delete|summary.Fixed) == summary.Fixed && !c.otherEffects() && !c.isBypassed() && !c.overwritesStep() && !c.tellsCallers() && !c.marksDone() && !c.leadsToOperation(c.conditionSet())
}

// marksDone reports whether the act sets a flag after an operation of an interface which the check has decided about, and which has not
// failed. Two goroutines that find the flag clear both carry out the operation.
//
//	if s.staged[path] { return nil }
//	if err := s.driver.Stage(path); err != nil { return err }
//	s.staged[path] = true
//
// Another writer clears the flag. Without one, the operation is done once for all, as the check of a signature, and is idempotent.
func (c *candidate) marksDone() bool {
	if !slices.ContainsFunc(c.info.Writers, func(w summary.Writer) bool { return w.Const != c.act.Const || w.Effect == summary.Removes }) {
		return false
	}
	conds := c.conditionSet()
	for call := range succeeded(c.act.Instr.Block()) {
		if call.Call.IsInvoke() && !limitsTime(call.Call.Value) && c.d.f.DecidedBy(call.Block(), conds) {
			return true
		}
	}
	return false
}

// limitsTime reports whether an argument limits how long a call may take. Such a call waits for
// something.
func limitsTime(arg ssa.Value) bool {
	known, _ := stdlib.OfType(arg.Type())
	return known.Scope
}

// latchesOnFailure: the act gives a flag the only value that it is ever given, as something has failed.
//
//	if s.stopped.Load() { return nil }
//	if err := s.work(); err != nil {
//		s.stopped.Store(true) // another worker may have failed, too
//		return err
//	}
//
// The flag is no claim, which would be set before the work. A goroutine that is started, or a channel that is closed, because
// the flag was clear is another matter: that is done twice.
func (c *candidate) latchesOnFailure() bool {
	if !c.becomesLatch() || c.hasEffects(startsOrCloses) || c.tellsCallers() {
		return false
	}
	for f := range branch.At(c.act.Instr.Block()) {
		if f.NonNil() && ssautil.IsError(f.Subject.Type()) && !c.d.f.Slice(f.Subject).HasAny(c.read.Values) {
			return true
		}
	}
	return false
}

// startsOrCloses reports whether an instruction starts a goroutine, or closes a channel.
func startsOrCloses(instr ssa.Instruction) bool {
	call, ok := instr.(ssa.CallInstruction)
	return funcsum.StartsAtOnce(instr) || ok && ssautil.Builtin(call.Common()) == "close"
}

// overwritesStep reports whether the act takes the variable from one value, which the check has found,
// to another one, while a rival takes it to a third; or the rival gives it the very value that the check has ruled out.
//
//	if s.state() != stopped {
//		s.setState(running) // the rival has set stopped, which is lost
//	}
//
// Or the check has found what a variable has, and the rival stores something else.
//
//	if s.holder() == me { s.setHolder("") }
func (c *candidate) overwritesStep() bool {
	if _, named := c.wanted(); named && c.sameCell() && c.anyRival(func(r rival) bool {
		return r.writer.Const == "" && r.writer.Effect == summary.Anything && !c.d.writesNotAt(*r.writer, c.read.Loc, "") && r.runs()
	}) {
		return true
	}
	from, known := c.found(func(f branch.Fact) bool { return f.Is(f.Const) })
	not, ruledOut := c.found(func(f branch.Fact) bool { return f.Relation == branch.Differs })
	return (known || ruledOut) && c.anyRival(func(r rival) bool {
		to := r.writer.Const
		return to != "" && to != c.act.Const && (known && to != from || ruledOut && to == not) && r.runs()
	})
}

// found returns the constant to which the branches on which the act is control dependent relate what was
// read, in the way that is asked for.
func (c *candidate) found(asked func(branch.Fact) bool) (text string, known bool) {
	in, at := c.decision()
	for _, br := range in.d.f.Deciding(at) {
		side := in.d.f.FoundSide(br.Cond, in.read, func(f branch.Fact) bool {
			if f.Const == nil || !asked(f) {
				return false
			}
			text = f.Const.ExactString()
			return true
		})
		if side >= 0 && in.d.only(br, side, at) {
			return text, true
		}
	}
	return "", false
}

// putsSame: where nothing was, the act puts a plain value that does not come from shared
// memory.
//
//	if s.name() == "" {
//		s.setName(defaultName(host))
//	}
//
// All goroutines that miss store the same value, unless it is a random one. But if the result tells the caller that
// its call has stored the value, two callers hold one claim:
//
//	if s.has(k) { return false }
//	s.add(k)
//	return true
func (c *candidate) putsSame() bool {
	return !c.awaited && c.act.Op&summary.Delete == 0 && c.act.Pure() && c.testsPresence() && !c.otherEffects() && !c.tellsCallers() && !c.overwritesStep() &&
		!(c.act.Op&summary.Fixed != 0 && c.marksDone()) && !c.leadsToOperation(c.conditionSet()) && !c.d.isDrawn(c.act)
}

// tellsCallers reports whether a result is one constant where the function has acted, and another one where it has
// found that there is nothing to do. Errors count as two: none, and one that is always the same.
func (c *candidate) tellsCallers() bool { return c.tells(func(types.Type) bool { return true }) }

// tells is like tellsCallers, for results of certain types.
func (c *candidate) tells(by func(types.Type) bool) bool {
	conds, block := c.conditionSet(), c.act.Instr.Block()
	results := c.d.f.Fn.Signature.Results()
	for i := range results.Len() {
		if !by(results.At(i).Type()) {
			continue
		}
		acted, found := make(map[string]bool), make(map[string]bool)
		for _, ret := range ssautil.Returns(c.d.f.Fn) {
			text, known := told(ssautil.Returned(ret, i))
			switch {
			case !known:
			case block.Dominates(ret.Block()):
				acted[text] = true
			case c.d.f.DecidedBy(ret.Block(), conds):
				found[text] = true
			}
		}
		for text := range acted {
			for other := range found {
				if text != other {
					return true
				}
			}
		}
	}
	return false
}

// told returns what a result tells: the text of a constant truth value, or whether there is an error.
func told(v ssa.Value) (text string, known bool) {
	k, isConst := v.(*ssa.Const)
	switch {
	case ssautil.IsError(v.Type()):
		if isConst {
			return "no error", true
		}
		_, variable := v.(*ssa.UnOp) // such as ErrExists
		return "error", variable
	case isConst && k.Value != nil && k.Value.Kind() == constant.Bool:
		return k.Value.String(), true
	}
	return "", false
}

// refills: a cache is filled with an entry that is computed in the section of the act,
// from what is there then, and never changed afterwards.
//
//	s.mu.RLock(); e := s.cache[k]; s.mu.RUnlock()
//	if e == nil {
//		s.mu.Lock(); e = &entry{sum: s.total}; s.cache[k] = e; s.mu.Unlock()
//	}
//
// Of two entries the second replaces the first, and is as good, however old the miss is.
func (c *candidate) refills() bool {
	w := c.act
	if w.Callee != nil || w.Within != nil || w.Key == "" || len(w.Inputs) == 0 || c.data || w.Delta() || !c.foundNothing() && !c.toldNothing() || !c.d.isConstant(w.Inputs[0].Type()) {
		return false
	}
	for _, v := range c.d.f.Slice(w.Inputs[0]) {
		switch v.(type) {
		case *ssa.Const, *ssa.Parameter, *ssa.FreeVar, *ssa.Global, *ssa.Function, *ssa.Builtin, *ssa.FieldAddr:
			continue
		case *ssa.Alloc, *ssa.MakeMap:
			continue // what is stored there is in the slice, too
		}
		instr, ok := v.(ssa.Instruction)
		if !ok || !c.inActSection(instr) {
			return false
		}
	}
	return slices.ContainsFunc(w.Data, func(i int) bool { return c.d.oneSection(c.d.f.Events[i], w) })
}

// goesWithIdempotent: the act is beside another write in its section, of what was read,
// that is idempotent.
//
//	if s.conn() == nil {
//		s.mu.Lock(); s.c = nil; s.dropped = true; s.mu.Unlock()
//	}
//
// The two are of one callee, or both are the current time.
func (c *candidate) goesWithIdempotent() bool {
	if c.sameCell() {
		return false
	}
	for _, w := range c.d.f.Events {
		beside := w.Ord == c.act.Ord || c.act.Clock() && w.Clock() && summary.SharePassage(w, c.act)
		if w != c.act && w.Writes() && beside && sameCell(c.read, w) && slices.Contains(w.Control, c.readIndex) {
			other := *c
			other.act = w
			return c.d.idempotent.Rejecting(c.d.judge, &other) != nil
		}
	}
	return false
}

// conditions returns those conditions of the act that depend on the value read.
func (c *candidate) conditions() []ssa.Value {
	return slices.DeleteFunc(slices.Clone(c.d.f.Conditions(c.act)), func(cond ssa.Value) bool {
		return !c.d.f.Slice(cond).HasAny(c.read.Values)
	})
}

func (c *candidate) conditionSet() map[ssa.Value]bool {
	out := make(map[ssa.Value]bool)
	for _, cond := range c.conditions() {
		out[cond] = true
	}
	return out
}

// testsPresence reports whether the decision to act only asks whether there was
// a value, or compares it with a constant.
func (c *candidate) testsPresence() bool {
	in, conds := c.decisive()
	return !slices.ContainsFunc(conds, func(cond ssa.Value) bool {
		return !isPresence(cond, in.read) || c.collected == nil && c.asksInside(cond)
	})
}

// decisive returns the conditions that decide about the act by what was read, or about what is collected, in the function in which the
// read is.
func (c *candidate) decisive() (*pair, []ssa.Value) {
	if c.collected == nil {
		return &c.pair, c.conditions()
	}
	in, at := c.pair.decision()
	depends := func(v ssa.Value) bool { return v != nil && in.d.f.Slice(v).HasAny(in.read.Values) }
	asksObject := func(v ssa.Value) bool { // if s.isIdle() { … }
		call, ok := v.(*ssa.Call)
		return ok && slices.ContainsFunc(call.Call.Args, depends)
	}
	var out []ssa.Value
	for _, br := range in.d.f.Deciding(at) {
		if depends(br.Cond) || asksObject(br.Cond) {
			out = append(out, br.Cond)
		}
	}
	return in, out
}

// asksInside reports whether a condition is a predicate of a callee which has also looked into the element that was read.
//
//	func (s *S) isIdle(k string) bool { s.mu.Lock(); defer s.mu.Unlock(); e := s.m[k]; return e != nil && e.users == 0 }
func (c *candidate) asksInside(cond ssa.Value) bool {
	is := branch.Alone(cond, true).Subject
	return c.read.Callee != nil && c.read.Key != "" && slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e.Ord == c.read.Ord && e.Reads() && e.Base.Within(c.read.ElementPath()) && slices.Contains(e.Values, is)
	})
}

// looksInside reports whether v is computed from the content of the element that was read:
// one that was put in the place of the element has another content.
//
//	if e := s.m[k]; e.deadline.Before(now) { … }
func looksInside(v ssa.Value, r *summary.Event) bool {
	if slices.Contains(r.Values, v) {
		return false
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		return v.Op == token.MUL
	case *ssa.Call:
		builtin := ssautil.Builtin(&v.Call) != ""
		return !builtin && r.Op&summary.Presence == 0
	}
	return false
}

// joinsComparison reports whether a boolean variable is the outcome of several conditions, of which one compares what was
// read with something that is not constant.
//
//	live := s.claims[k] == c && !c.sold
func joinsComparison(phi *ssa.Phi, r *summary.Event) bool {
	joined := slices.Clone(phi.Edges)
	for _, b := range phi.Block().Preds {
		if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
			joined = append(joined, br.Cond)
		}
	}
	return slices.ContainsFunc(joined, func(cond ssa.Value) bool {
		is := branch.Alone(cond, true)
		return is.Other != nil && (slices.Contains(r.Values, is.Subject) || slices.Contains(r.Values, is.Other))
	})
}

func isPresence(cond ssa.Value, r *summary.Event) bool {
	yes, no := branch.Alone(cond, true), branch.Alone(cond, false)
	if r.Key != "" && looksInside(yes.Subject, r) {
		return false
	}
	if !yes.True() && !yes.False() {
		return isConstant(yes) || isConstant(no)
	}
	switch c := yes.Subject.(type) {
	case *ssa.Extract:
		return c.Index > 0
	case *ssa.Call:
		// A getter that says whether there is one.
		return r.Op&summary.Presence != 0 || c.Type().String() == "bool"
	case *ssa.UnOp:
		return c.Op == token.MUL
	case *ssa.Phi:
		return c.Type().String() == "bool" && !joinsComparison(c, r)
	}
	return false
}

// isConstant reports whether the subject of a fact is a constant, or nil.
func isConstant(f branch.Fact) bool { return f.Relation == branch.Equal && f.Other == nil }

// otherEffects reports whether something else that others can see depends on
// the decision.
func (c *candidate) otherEffects() bool {
	return c.hasOtherWrites(func(*summary.Event) bool { return true }) || c.hasVisibleEffects()
}

// hasOtherWrites reports whether another write of the given kind depends on the decision. What the call that puts an element stores in
// it is a part of the element.
func (c *candidate) hasOtherWrites(kind func(*summary.Event) bool) bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && len(e.Holds) > 0 && !sameCell(e, c.act) && slices.Contains(e.Control, c.readIndex) && !(e.Instr == c.act.Instr && c.act.Finds(e)) && kind(e)
	})
}

// hasVisibleEffects reports whether the function does something else than to write, which others
// can see, as it has decided.
//
// What the function finds in the section of the act, in the place that the act changes, it decides about anew.
//
//	s.mu.Lock(); ch := s.m[k]; delete(s.m, k); s.mu.Unlock()
//	if ch != nil { close(ch) }
func (c *candidate) hasVisibleEffects() bool { return c.hasEffects(isVisible) }

// hasEffects reports whether the function does something of a kind, as it has decided.
func (c *candidate) hasEffects(kind func(ssa.Instruction) bool) bool {
	conds, anew := c.conditionSet(), make(map[ssa.Value]bool)
	for _, e := range c.d.f.Events {
		if e != c.read && e.Reads() && sameCell(e, c.act) && c.d.oneSection(e, c.act) {
			for br := range c.d.f.BranchesOn(e.Values) {
				anew[br.Cond] = true
			}
		}
	}
	other := func(instr ssa.Instruction) bool { return kind(instr) && !(c.act.Distant && instr == c.act.Instr) }
	for _, b := range c.d.f.Fn.Blocks {
		if c.d.f.DecidedBy(b, conds) && !c.d.f.DecidedBy(b, anew) && slices.ContainsFunc(b.Instrs, other) {
			return true
		}
	}
	return false
}

// isVisible reports whether other goroutines see that an instruction has run: it sends,
// closes, starts a goroutine, or calls a function value.
func isVisible(instr ssa.Instruction) bool {
	if funcsum.StartsAtOnce(instr) {
		return true
	}
	switch instr := instr.(type) {
	case *ssa.Send:
		return true
	case ssa.CallInstruction:
		c := instr.Common()
		if b := ssautil.Builtin(c); b != "" {
			return b == "close"
		}
		return c.StaticCallee() == nil && !c.IsInvoke()
	}
	return false
}

// inActSection reports whether an instruction of the function is in the section of the act.
func (c *candidate) inActSection(instr ssa.Instruction) bool {
	return c.d.inSectionOf(instr, c.act, func(summary.Hold) bool { return true })
}

// isConstant reports whether objects of a type stay as they were made.
func (d *detector) isConstant(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Pointer:
		return d.hasConstantFields(u.Elem())
	case *types.Struct:
		return d.hasConstantFields(t)
	}
	return false
}

// hasConstantFields reports whether the fields of a struct, and of the structs in it, are only set when it is made, but for time stamps.
func (d *detector) hasConstantFields(t types.Type) bool {
	if _, ok := t.Underlying().(*types.Struct); !ok {
		return false
	}
	for part := range ssautil.Parts(t) {
		st, ok := part.Underlying().(*types.Struct)
		if !ok || part != t && hasIdentity(part) {
			continue // no struct, or an atomic variable whose field has been looked at
		}
		for field := range st.Fields() {
			loc := accesspath.FieldRef(accesspath.Ref{}, part, field.Name()).Loc
			if !d.isStamp(loc) && (hasIdentity(field.Type()) || !d.pkg.Location(loc).Constant()) {
				return false
			}
		}
	}
	return true
}

// hasIdentity reports whether two objects with a field of type t are never as good as
// each other: locks, atomic variables, channels, arrays of them.
func hasIdentity(t types.Type) bool {
	if array, ok := t.Underlying().(*types.Array); ok {
		return hasIdentity(array.Elem())
	}
	if _, ok := t.Underlying().(*types.Chan); ok {
		return true
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	return stdlib.OfPackage(named.Obj().Pkg().Path()).Opaque
}
