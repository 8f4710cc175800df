package stalevalue

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// Lost notification: a subscriber gets a snapshot of the state and is added to the list
// in a later critical section; a change in between is in neither.
//
//	s.mu.Lock(); w := &watcher{state: s.state}; s.mu.Unlock()
//	s.mu.Lock(); s.watchers = append(s.watchers, w); s.mu.Unlock()
//
// The two functions are in a cycle of conflicts, R(x) W'(x) R'(list) W(list). The other
// order is right. It is the same if the state decides whether the subscriber needs what it has
// missed:
//
//	if w.seen >= s.position() { // s.mu is released
//		s.add(w)
//	}
//
// and if it decides whether there is something to wait for:
//
//	if s.done() { // s.mu is released
//		return
//	}
//	<-s.subscribe() // made, and put into s.waiters

// A lostNotification is a snapshot, and the later subscription of the object that it is given to.
type lostNotification struct {
	late
	is   *subscription
	wait ssa.Instruction // the receive, of an awaited subscriber
}

func (l *lostNotification) String() string { return l.string("lost-notification") }

// lostNotifications reports subscriptions that come after the state was given.
func (d *detector) lostNotifications(rules rule.Set[*lostNotification]) {
	latePuts(d, d.others.Notifies, func(first, put *summary.Event, n counterpart.Notification) bool {
		w := n.Writer
		if !first.Reads() || first.Key != "" && put.Key == "" || first.Loc == put.Loc || first.Ord == put.Ord || summary.IsSignalFlag(first.Loc) ||
			len(first.Holds) == 0 || len(first.Values) == 0 && first.Callee == nil || !areApart(first, put, n.Way) ||
			!d.f.Order().Exists(summary.Way{From: first.Instr, To: put.Instr, Forward: true}) {
			return false
		}
		is, wait := d.subscription(first, put, n)
		if is == nil || slices.ContainsFunc(d.findings, func(f finding.Finding) bool { return f.Pos == d.pos(put) && f.Confidence() == finding.High }) {
			return false // the check is stale for the act itself
		}
		l := &lostNotification{late{d, first, put, &w}, is, wait}
		if !rule.Accept(d.judge, rules, l) {
			return false
		}
		d.findings = append(d.findings, l.finding(staleUse, fmt.Sprintf(
			"%s was %s at line %d %s %s here; %s (%s), which writes the one and then goes through the other, may run in between and be missed",
			d.f.NameOf(first), is.seen, d.line(d.pos(first)), is.use, d.f.NameOf(put), w.Func, w.Pos.Text), is.seen, rules.Doubts(d.judge, l)))
		return true
	})
}

// A subscription says how the state and the subscriber belong together, in the words of the message: the access of the state, and its
// purpose.
type subscription struct{ seen, use string }

var (
	given    = &subscription{"read", "for what is only put into"}
	admitted = &subscription{"checked", "to put something into"}
	awaited  = &subscription{"checked", "to wait for what is put into"}
)

// subscription returns how the state and the subscriber belong together, or nil; and the wait of an awaited subscriber. A notification
// whose write is a mark can only be missed by a wait.
func (d *detector) subscription(state, put *summary.Event, n counterpart.Notification) (*subscription, ssa.Instruction) {
	known := put.Key != "" || len(put.Added) > 0 || len(d.appendedArguments(put)) > 0 // what is put in
	switch {
	case !n.Mark && known && d.givenTo(state, put):
		return given, nil
	case !n.Mark && known && d.admits(state, put):
		return admitted, nil
	case d.decidesAlone(state, put) && n.Tells() && (!n.Keyed() || accesspath.SameElement(state.Key, put.Key)) && d.ends(state, put, &n.Writer):
		if wait := d.waitFor(put); wait != nil {
			return awaited, wait
		}
	}
	return nil, nil
}

// ends reports whether a writer may invalidate the decision to wait. A function that waits although a value is present waits for the next
// one, which no other value invalidates.
func (d *detector) ends(state, put *summary.Event, w *summary.Writer) bool {
	p := pair{d: d, read: state, readIndex: slices.Index(d.f.Events, state), act: put, info: d.pkg.Location(state.Loc), decides: true}
	if w.Const == "" && d.f.Knows(state, put.Instr.Block(), func(is branch.Fact) bool {
		return is.NonNil() || is.Present() || is.NonEmpty() || is.IsNot(constant.MakeInt64(0))
	}) {
		return false
	}
	return rival{d: d, writer: w, candidate: &candidate{p, decisionOnCell}}.undoes()
}

// waitFor returns the receive from the channel that has been put into a list, or that is a field of the object put there; nil if no receive
// follows the put.
func (d *detector) waitFor(put *summary.Event) ssa.Instruction {
	subscribed, objects := d.subscribed(put), d.objects(put)
	if put.Callee == nil {
		subscribed = append(subscribed, putIn(put)...)
	}
	return d.receiveAfter(put, func(ch ssa.Value) bool {
		path := d.f.Res.Resolve(ch).Path
		return d.f.Slice(ch).HasAny(subscribed) || slices.ContainsFunc(objects, func(o accesspath.Path) bool { return path != accesspath.Unknown && path.Within(o) })
	})
}

// receiveAfter returns an instruction after an access that waits for a channel which is as asked for, or nil.
func (d *detector) receiveAfter(e *summary.Event, is func(ch ssa.Value) bool) ssa.Instruction {
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			receives := false
			switch instr := instr.(type) {
			case *ssa.UnOp:
				receives = instr.Op == token.ARROW && is(instr.X)
			case *ssa.Select:
				receives = instr.Blocking && slices.ContainsFunc(instr.States, func(s *ssa.SelectState) bool { return s.Dir == types.RecvOnly && is(s.Chan) })
			}
			if receives && d.f.Order().Exists(summary.Way{From: e.Instr, To: instr, Forward: true}) {
				return instr
			}
		}
	}
	return nil
}

// decidesAlone reports whether the state decides that the subscriber is put in, and the section that puts it in does not look at the
// state first.
func (d *detector) decidesAlone(state, put *summary.Event) bool {
	return slices.Contains(put.Control, slices.Index(d.f.Events, state)) && !slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool {
		return e != state && e.Reads() && e.Loc == state.Loc && e.Ord < put.Ord && d.oneSection(e, put)
	})
}

// areApart reports whether the objects of two accesses are reached from one object in a certain way.
func areApart(a, b *summary.Event, way [2]accesspath.Path) bool {
	if a.Base == accesspath.Unknown || b.Base == accesspath.Unknown || a.Base.HasAny() || b.Base.HasAny() {
		return false
	}
	x, y := accesspath.Apart(a.Base, b.Base)
	return [2]accesspath.Path{x, y} == way
}

// hasRival: the notification can run at the same time.
func (l *lostNotification) hasRival() bool {
	return rival{d: l.d, writer: l.other, base: l.first.Base, held: l.d.f.HeldForward(l.first, l.put)}.runs()
}

// isTaken: the section of the snapshot takes out what it reads, see takes.
//
//	s.mu.Lock(); w.backlog = s.backlog; s.backlog = nil; s.mu.Unlock()
func (l *lostNotification) isTaken() bool { return l.first.Writes() || l.d.owned(l.first) }

// readsAgain: the function reads the state after the subscription, too.
//
//	s.add(w)
//	w.state = s.State()
//
// A change that the first snapshot does not have is in the second.
func (l *lostNotification) readsAgain() bool {
	order := l.d.f.Order()
	return slices.ContainsFunc(l.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && e.Loc == l.first.Loc && (e.Ord == l.put.Ord && isUsed(e) ||
			order.Exists(summary.Way{From: l.put.Instr, To: e.Instr, Avoid: l.wait, Forward: true}))
	})
}

// polls: the wait also ends by a timer, and the function then looks again.
//
//	select {
//	case v := <-sub.ch:
//		return v
//	case <-ticker.C: // s.get() again
//	}
func (l *lostNotification) polls() bool {
	choice, ok := l.wait.(*ssa.Select)
	return ok && l.d.f.Order().Flows(choice, l.first.Instr) && slices.ContainsFunc(choice.States, func(s *ssa.SelectState) bool {
		ch, ok := s.Chan.Type().Underlying().(*types.Chan)
		return ok && s.Dir == types.RecvOnly && ssautil.IsNamed(ch.Elem(), "time", "Time")
	})
}

// isAwaited limits a rule to subscribers that the function waits for.
func (l *lostNotification) isAwaited() bool { return l.is == awaited }

// asksAgain: the section that puts the subscriber in looks at another variable that the notification writes.
//
//	func (w *waiters) wait(n int) <-chan struct{} { // under w.mu
//		if w.last >= n { return closed } // trigger: w.last = n; for k, ch := range w.m { … }
//
// A read that its section counts up, such as that of the number of waiters, is no revalidation.
func (l *lostNotification) asksAgain() bool {
	return slices.ContainsFunc(l.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && !e.Writes() && !e.Owned() && e != l.first && e.Ord <= l.put.Ord && e.Loc != l.put.Loc && summary.SharePassage(e, l.put) &&
			l.d.writerMakes(l.other, func(set *summary.Event) bool { return set.Writes() && set.Loc == e.Loc })
	})
}

// isUsed reports whether the function uses what e has read, maybe in a callee that returns it.
func isUsed(e *summary.Event) bool {
	return slices.ContainsFunc(e.Values, func(v ssa.Value) bool { return len(ssautil.Uses(v)) > 0 })
}

// admits reports whether the state decides that the subscriber is put in, by a comparison with
// what the subscriber has.
func (d *detector) admits(state, put *summary.Event) bool {
	if !d.decidesAlone(state, put) {
		return false
	}
	// What is notified has to be a reference: others cannot reach a copy.
	var objects []accesspath.Path
	for _, v := range slices.Concat(put.Inputs, put.Added) {
		if path := d.f.Res.Resolve(v).Path; ssautil.IsReference(v.Type()) && path != accesspath.Unknown && !put.Base.Within(path) {
			objects = append(objects, path)
		}
	}
	return slices.ContainsFunc(d.f.Branches(put), func(br *ssa.If) bool {
		slice := d.f.Slice(br.Cond)
		return slice.HasAny(state.Values) && slices.ContainsFunc(slice, func(v ssa.Value) bool {
			path := d.f.Res.Resolve(v).Path
			return slices.ContainsFunc(objects, func(o accesspath.Path) bool { return path != o && path.Within(o) })
		})
	})
}

// givenTo reports whether the snapshot is given to the subscriber: in a call, a
// result, or as a part of it.
func (d *detector) givenTo(snapshot, put *summary.Event) bool {
	if d.goesWith(snapshot, put) {
		return true
	}
	objects := d.objects(put)
	if d.givenByCallee(snapshot, objects) {
		return true
	}
	for _, k := range d.f.Sinks() {
		if k.Instr == put.Instr || !k.Data.HasAny(snapshot.Values) {
			continue
		}
		switch instr := k.Instr.(type) {
		case *ssa.Store:
			if slices.ContainsFunc(objectOf(instr.Addr), func(v ssa.Value) bool { return slices.Contains(objects, d.f.Res.Resolve(v).Path) }) {
				return true
			}
		case *ssa.Send:
			if slices.Contains(objects, d.f.Res.Resolve(instr.Chan).Path) {
				return true
			}
		case ssa.CallInstruction:
			with := append(slices.Clone(instr.Common().Args), instr.Common().Value) // a listener may be the function that is called
			if call, ok := instr.(*ssa.Call); ok && slices.ContainsFunc(with, func(v ssa.Value) bool { return slices.Contains(snapshot.Values, v) }) {
				with = append(with, ssautil.Results(call)...) // what a constructor makes of it
			}
			if slices.ContainsFunc(with, func(v ssa.Value) bool { return slices.Contains(objects, d.f.Res.Resolve(v).Path) }) {
				return true
			}
		}
	}
	return false
}

// givenByCallee reports whether the callee that makes the snapshot calls one of the objects with it.
//
//	func (s *Store) replay(f func(State)) { f(s.State()) }
//
//	s.replay(f)
//	s.add(f)
func (d *detector) givenByCallee(snapshot *summary.Event, objects []accesspath.Path) bool {
	g, inner := d.others.InCallee(d.f, snapshot)
	if inner == nil {
		return false
	}
	call := snapshot.Instr.(ssa.CallInstruction)
	for _, k := range g.Sinks() {
		told, ok := k.Instr.(*ssa.Call)
		if !ok || told.Call.IsInvoke() || !k.Data.HasAny(inner.Values) {
			continue
		}
		for _, v := range passedFor(call, []ssa.Value{told.Call.Value}) {
			if slices.Contains(objects, d.f.Res.Resolve(v).Path) {
				return true
			}
		}
	}
	return false
}

// goesWith reports whether whoever gets the snapshot also gets what a callee has subscribed and returns,
// or is called with what comes by it.
//
//	state, changes := s.State(), s.subscribe()
//	return state, changes
//
//	f(s.State())
//	for c := range s.subscribe() { f(c) }
func (d *detector) goesWith(snapshot, put *summary.Event) bool {
	subscribed := d.subscribed(put)
	if len(subscribed) == 0 {
		return false
	}
	var before, after []ssa.Value // function values that are called with the one, and with the other
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Return:
				state, changes := false, false
				for i := range instr.Results {
					// How much room there is for changes may depend on the snapshot.
					if slice := d.f.Slice(ssautil.Returned(instr, i)); slice.HasAny(subscribed) {
						changes = true
					} else if slice.HasAny(snapshot.Values) {
						state = true
					}
				}
				if state && changes {
					return true
				}
			case *ssa.Call:
				if instr.Call.StaticCallee() != nil || instr.Call.IsInvoke() {
					continue
				}
				for _, arg := range instr.Call.Args {
					if slice := d.f.Slice(arg); slice.HasAny(snapshot.Values) {
						before = append(before, instr.Call.Value)
					} else if slice.HasAny(subscribed) {
						after = append(after, instr.Call.Value)
					}
				}
			}
		}
	}
	return slices.ContainsFunc(before, func(f ssa.Value) bool { return slices.Contains(after, f) })
}

// subscribed returns the objects that are appended to the container, or the results of a call that are what the callee has put
// into it.
func (d *detector) subscribed(put *summary.Event) []ssa.Value {
	var out []ssa.Value
	if put.Callee == nil {
		for _, v := range put.Added {
			if array := ssautil.Variadic(v); array != nil {
				out = append(out, slices.DeleteFunc(ssautil.StoredIn(array), func(v ssa.Value) bool { return !ssautil.IsReference(v.Type()) })...)
			}
		}
		return out
	}
	call, ok := put.Instr.(*ssa.Call)
	if !ok {
		return nil
	}
	for i := range call.Call.Signature().Results().Len() {
		if result := ssautil.Result(call, i); result != nil && d.returnsPut(call, i, put.Loc, limit.NotifyDepth) {
			out = append(out, result)
		}
	}
	return out
}

// returnsPut reports whether result i of a call is a reference that the callee, or one of its own
// callees, has put into a container.
func (d *detector) returnsPut(call *ssa.Call, i int, container accesspath.Location, depth int) bool {
	g := d.pkg.FuncOf(call.Call.StaticCallee())
	if g == nil || depth == 0 {
		return false
	}
	return slices.ContainsFunc(ssautil.Returns(g.Fn), func(ret *ssa.Return) bool {
		v := branch.Plain(ssautil.Returned(ret, i))
		edges := []ssa.Value{v}
		if phi, ok := v.(*ssa.Phi); ok {
			edges = phi.Edges // what was there, or what is put in
		}
		return slices.ContainsFunc(edges, func(v ssa.Value) bool { return d.isPut(g, branch.Plain(v), container, depth) })
	})
}

// isPut reports whether v is a reference that g, or a callee of g, has put into a container.
func (d *detector) isPut(g *summary.Func, v ssa.Value, container accesspath.Location, depth int) bool {
	if !ssautil.IsReference(v.Type()) {
		return false
	}
	if made, i := ssautil.CallOf(v); made != nil && d.returnsPut(made, i, container, depth-1) {
		return true
	}
	v = variable(v)
	return slices.ContainsFunc(g.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Loc == container && (slices.ContainsFunc(e.Inputs, func(in ssa.Value) bool { return variable(in) == v }) ||
			slices.ContainsFunc(e.Added, func(a ssa.Value) bool { return g.Slice(a).Has(v) }))
	})
}

// variable returns the value of a variable that is set once, maybe as a literal has captured it, for a load of that, and v for others.
func variable(v ssa.Value) ssa.Value {
	if load, ok := branch.Plain(v).(*ssa.UnOp); ok && load.Op == token.MUL {
		if made, ok := load.X.(*ssa.Alloc); ok {
			if store := ssautil.SoleStore(made); store != nil {
				return branch.Plain(store.Val)
			}
		}
	}
	return branch.Plain(v)
}

// putIn returns the values that put puts in, those that it appends one by one.
func putIn(put *summary.Event) []ssa.Value {
	var out []ssa.Value
	for _, v := range slices.Concat(put.Inputs, put.Added) {
		if array := ssautil.Variadic(v); array != nil {
			out = append(out, ssautil.StoredIn(array)...)
		} else {
			out = append(out, v)
		}
	}
	return out
}

// appendedArguments returns the arguments of a call that the callee itself appends to a list.
//
//	s.add(w) // s.watchers = append(s.watchers, w)
func (d *detector) appendedArguments(put *summary.Event) []ssa.Value {
	_, inner := d.others.InCallee(d.f, put)
	if inner == nil || inner.Callee != nil || len(inner.Added) == 0 {
		return nil
	}
	return passedFor(put.Instr.(ssa.CallInstruction), putIn(inner))
}

// passedFor returns the arguments of a call for those values that are parameters of the callee.
func passedFor(call ssa.CallInstruction, values []ssa.Value) []ssa.Value {
	var out []ssa.Value
	for _, v := range values {
		prm, ok := branch.Plain(v).(*ssa.Parameter)
		if !ok || prm.Parent() != call.Common().StaticCallee() {
			continue
		}
		if i := slices.Index(prm.Parent().Params, prm); i < len(call.Common().Args) {
			out = append(out, call.Common().Args[i])
		}
	}
	return out
}

// objects returns the paths of the objects that put puts in.
func (d *detector) objects(put *summary.Event) []accesspath.Path {
	var out []accesspath.Path
	for _, v := range slices.Concat(putIn(put), d.appendedArguments(put)) {
		path := d.f.Res.Resolve(v).Path
		if _, basic := v.Type().Underlying().(*types.Basic); !basic && path != accesspath.Unknown && !put.Base.Within(path) {
			out = append(out, path)
		}
	}
	if key := put.Key.Path(); put.Const != "" && key != accesspath.Unknown {
		out = append(out, key) // of a set, as in s.subs[sub] = true
	}
	return out
}
