package stalevalue

import (
	"cmp"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A takeover: a function registers its object, and takes away, at its end, whatever is registered by then.
// Another object may have taken the place meanwhile:
//
//	func (h *Hub) Serve(id string, c *conn) {
//		h.attach(id, c) // h.mu.Lock(); old := h.conns[id]; h.conns[id] = c; h.mu.Unlock(); old.Close()
//		c.read()        // ends when the connection does
//		h.detach(id)    // WRONG: h.mu.Lock(); delete(h.conns, id); h.mu.Unlock()
//	}
//
// A client that connects again replaces its connection, and the end of the old one removes the new one. No value
// that was read goes stale: the removal selects the element by its key, and has to compare the identity of the object:
//
//	if h.conns[id] == c { delete(h.conns, id) }
//
// A function that the registration starts, such as that of a timer, may make the removal, too:
//
//	h.timer = time.AfterFunc(ttl, func() { s.expire(seat) }) // removes s.holds[seat]
//	s.holds[seat] = h
//
// So may one that is started where the object has been found to be the registered one:
//
//	if s.holds[seat] != h { return }
//	h.timer = time.AfterFunc(ttl, func() { s.expire(seat) })
//
// It is the same if the function has taken its object away itself, and does it again:
//
//	defer release(name)
//	…
//	release(name) // WRONG: the deferred call releases what another goroutine has acquired since
//
// For another object to be there, a writer has to put it in place of what is there, without a test that it is
// nobody's; or somebody else removes the first one, and the place is free for the next.

// A takeover is a registration of an object, its removal by name, and a writer that lets another object have the place. Instead of
// the registration it may have a first removal.
type takeover struct {
	d       *detector
	put     *summary.Event
	removal removal
	writer  *summary.Writer
}

// isReleased reports whether the object has been removed before.
func (t *takeover) isReleased() bool { return t.put.Op&summary.Delete != 0 }

// A removal takes away what is under a name, in the function or in one that it starts.
type removal struct {
	event *summary.Event // of the function, or nil
	// What follows is set for a function that is started.
	start  ssa.Instruction
	callee summary.Callee
	access *summary.Access
}

func (r removal) pos() summary.Pos {
	if r.event != nil {
		return r.event.Pos
	}
	return r.access.Pos
}

func (t *takeover) String() string {
	return fmt.Sprintf("takeover: %s written at line %d and removed at line %d, written by %s, in %s",
		t.d.f.NameOf(t.put), t.d.line(t.d.pos(t.put)), t.d.line(t.removal.pos().Pos), t.writer.Func, summary.Name(t.d.f.Fn))
}

func (t *takeover) Positions() []token.Pos {
	return []token.Pos{t.removal.pos().Pos, t.d.pos(t.put), t.d.f.Fn.Pos()}
}

// takeoverRules decide about removals of what may be another object.
var takeoverRules = rule.Set[*takeover]{
	{
		ID: "given-name", Kind: rule.Requires, Mechanism: rule.Ownership,
		Cases: []string{"takeover.Desk.Serve"},
		Holds: (*takeover).isGiven,
	}, {
		ID: "serial-name", Kind: rule.Excludes, Mechanism: rule.Ownership,
		Cases: []string{"takeover.Calls.wait"},
		Holds: (*takeover).isSerial,
	}, {
		ID: "identity-compared", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"takeover.Hub.ServeOwn", "takeover.Hub.ServeRefs"},
		Holds: (*takeover).compares,
	}, {
		ID: "successor", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"takeover.Gate.Serve"},
		Holds: (*takeover).replaces,
	}, {
		ID: "successor-kept-out", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"takeover.Vault.serve"},
		Holds: (*takeover).isKeptOut,
	}, {
		ID: "successor-concurrent", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"takeover.Solo.serve"},
		Holds: (*takeover).meets,
	}, {
		ID: "no-predecessor", Kind: rule.DoubtsStrongly, Mechanism: rule.Ownership,
		Doubt: "nothing says that two may have one name: the other does not look at what it replaces",
		Cases: []string{"doubts.Hall.Serve"},
		Holds: (*takeover).ignoresPredecessor,
	},
}

// takeovers reports the removals of what may be another object, each once.
func (d *detector) takeovers(rules rule.Set[*takeover]) {
	if d.f.Test {
		return // the names are all its own
	}
	for _, r := range d.removals() {
		at := r.at(d)
		if slices.ContainsFunc(d.findings, func(f finding.Finding) bool { return f.Pos == at }) {
			continue // something that was read is stale there, too, or it is started twice
		}
		if t, doubts := d.takeover(r, rules); t != nil {
			d.findings = append(d.findings, t.finding(at, doubts))
		}
	}
}

// removals returns the removals of elements that the function makes, and that the functions make which it starts.
func (d *detector) removals() []removal {
	var out []removal
	for _, e := range d.f.Events {
		if e.Op&summary.Delete != 0 && e.Key != "" && e.Op&summary.Compare == 0 && len(e.Holds) > 0 && !e.Distant {
			out = append(out, removal{event: e})
		}
	}
	if !slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool { return d.registers(e) || d.finds(e) }) {
		return out
	}
	for _, steps := range d.pkg.Steps(d.f) {
		for _, s := range steps {
			for _, c := range s.Callees {
				if s.Kind != summary.SpawnStep || c.Func == nil || c.Func.Sum == nil {
					continue
				}
				for i := range c.Func.Sum.Accesses {
					if a := &c.Func.Sum.Accesses[i]; a.Op&summary.Delete != 0 && a.Key != "" && a.Op&summary.Compare == 0 && a.Regions != 0 {
						out = append(out, removal{start: s.Instr, callee: c, access: a})
					}
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b removal) int {
		return cmp.Or(cmp.Compare(a.pos().Pos, b.pos().Pos), cmp.Compare(startOf(a), startOf(b)), cmp.Compare(a.pos().Text, b.pos().Text))
	})
	return out
}

// startOf returns where the function is started that makes a removal, if it is started.
func startOf(r removal) token.Pos {
	if r.start == nil {
		return token.NoPos
	}
	return ssautil.Pos(r.start)
}

// at returns the place to mend: the removal, where the function that is started makes it itself, or where it calls what users call, too.
func (r removal) at(d *detector) token.Pos {
	if r.event == nil {
		if f, w := r.made(d); w != nil && !token.IsExported(f.Fn.Name()) {
			return w.Pos.Pos
		}
	}
	return r.pos().Pos
}

// takeover returns a candidate with a removal, and its doubts: of those that the rules accept the first one with the highest confidence, nil if
// the rules accept no candidate.
func (d *detector) takeover(r removal, rules rule.Set[*takeover]) (*takeover, finding.Doubts) {
	var found *takeover
	var doubts finding.Doubts
	for _, put := range d.f.Events {
		if !(d.registers(put) || d.releases(put, r) || r.start != nil && d.finds(put) && d.isSame(put, r.start.Block())) || !d.removesLater(put, r) {
			continue
		}
		info := d.pkg.Location(put.Loc)
		for i := range info.Writers {
			t := &takeover{d, put, r, &info.Writers[i]}
			if !rule.Accept(d.judge, rules, t) {
				continue
			}
			of := rules.Doubts(d.judge, t)
			if found == nil || of.Confidence() < doubts.Confidence() {
				found, doubts = t, of
			}
			if doubts.Confidence() == finding.High {
				return found, doubts
			}
		}
	}
	return found, doubts
}

// registers reports whether an access puts an object under a name where others can see it.
func (d *detector) registers(put *summary.Event) bool { return inserts(put) && put.Const == "" }

// finds reports whether an access looks up an element, which may be compared with an object.
func (d *detector) finds(look *summary.Event) bool {
	return look.Reads() && !look.Writes() && look.Key != "" && len(look.Holds) > 0 && !look.Distant
}

// isSame reports whether what was looked up is known, in a block, to be a certain object.
func (d *detector) isSame(look *summary.Event, b *ssa.BasicBlock) bool {
	return d.f.Knows(look, b, func(is branch.Fact) bool {
		return is.Relation == branch.Equal && is.Other != nil && ssautil.IsPointer(is.Other)
	})
}

// inserts reports whether an access puts something under a name, which may be a flag.
func inserts(put *summary.Event) bool {
	return put.Writes() && put.Op&(summary.Delete|summary.Content) == 0 && put.Key != "" && !put.Distant && len(put.Holds) > 0 &&
		!put.Delta() && !put.Empties()
}

// releases reports whether an access is a first removal of the element that r removes: the function inserts nothing under the key
// in between, and the second removal has no condition, after the first, but the presence of an element.
func (d *detector) releases(first *summary.Event, r removal) bool {
	again, order := r.event, d.f.Order()
	if again == nil || first == again || first.Op&summary.Delete == 0 || first.Op&summary.Compare != 0 || first.Key == "" || first.Distant || len(first.Holds) == 0 {
		return false
	}
	if _, deferred := again.Instr.(*ssa.Defer); !deferred && order.Flows(again.Instr, first.Instr) {
		return false // in the next round of a loop
	}
	if slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool {
		return inserts(e) && sameCell(e, again) && order.Flows(first.Instr, e.Instr)
	}) {
		return false
	}
	for f, e := range d.others.Descent(d.f, again) {
		if f == d.f && !slices.ContainsFunc(f.Branches(e), func(br *ssa.If) bool { return order.Flows(first.Instr, br) }) {
			continue
		}
		if slices.ContainsFunc(f.OwnConditions(e), func(cond ssa.Value) bool { return !asksPresence(f, e, cond) }) {
			return false
		}
	}
	return true
}

// asksPresence reports whether a condition of a removal asks whether there is anything to remove.
func asksPresence(f *summary.Func, e *summary.Event, cond ssa.Value) bool {
	return slices.ContainsFunc(f.Events, func(look *summary.Event) bool {
		return look.Reads() && sameCell(look, e) && f.Slice(cond).HasAny(look.Values) && summary.AbsentSide(cond, look) >= 0
	})
}

// removesLater reports whether the same element is removed after a registration, in a later section, in one run of the function
// or by a function that it starts in that run.
func (d *detector) removesLater(put *summary.Event, r removal) bool {
	order := d.f.Order()
	if r.event == nil {
		return r.access.Loc == put.Loc && accesspath.Same(r.callee.Translate(r.access.Base), put.Base) && accesspath.SameElement(r.callee.TranslateKey(r.access.Key), put.Key) &&
			(order.Flows(put.Instr, r.start) || order.Flows(r.start, put.Instr))
	}
	if put.Ord == r.event.Ord || !sameCell(put, r.event) || !accesspath.SameElement(put.Key, r.event.Key) {
		return false
	}
	if _, deferred := r.event.Instr.(*ssa.Defer); deferred {
		return order.Flows(put.Instr, r.event.Instr) || order.Flows(r.event.Instr, put.Instr)
	}
	return !summary.SharePassage(put, r.event) && order.Exists(summary.Way{From: put.Instr, To: r.event.Instr, Forward: true})
}

// isGiven: the name comes from a caller, who may give it again; or it has been taken out of a place where the writer that removes
// the object puts it back. One that the function draws or makes is its own, and so is one that is an object.
func (t *takeover) isGiven() bool {
	if slices.ContainsFunc(t.d.given(), func(p *ssa.Parameter) bool { return isName(p.Type()) && t.d.f.Res.Key(p) == t.put.Key }) {
		return true
	}
	if name := t.put.Key.Path(); name != name.Root() && !name.IsComputed() && isResult(t.d.f.Res.Definition(name.Root())) {
		return false // sub.ID, where sub is new
	}
	var operands [10]*ssa.Value
	return slices.ContainsFunc(t.put.Instr.Operands(operands[:0]), func(v *ssa.Value) bool {
		return *v != nil && t.d.f.Res.Key(*v) == t.put.Key && isName((*v).Type()) && t.mayReturn(*v)
	})
}

// isResult reports whether v is a result of a call.
func isResult(v ssa.Value) bool {
	call, _ := ssautil.CallOf(v)
	return call != nil
}

// mayReturn reports whether a name is computed from a parameter of the function other than its receiver, and from nothing that is
// counted up, taken out for good, or drawn by a call without arguments.
//
//	key := fmt.Sprintf("%s-%s", nonce(), name)
func (t *takeover) mayReturn(name ssa.Value) bool {
	d, slice := t.d, t.d.f.Slice(name)
	if slices.ContainsFunc(slice, func(v ssa.Value) bool {
		call, ok := v.(*ssa.Call)
		return ok && len(call.Call.Args) == 0 && !call.Call.IsInvoke()
	}) {
		return false
	}
	for _, e := range d.f.Events {
		switch {
		case !slice.HasAny(e.Values):
		case e.Delta():
			return false
		case e.Owned():
			return t.frees() && d.writerMakes(t.writer, func(w *summary.Event) bool {
				return w.Writes() && w.Loc == e.Loc && w.Op&summary.Delete == 0 && len(w.Added) > 0
			})
		}
	}
	return slices.ContainsFunc(d.given(), func(p *ssa.Parameter) bool { return slice.Has(p) }) ||
		slices.ContainsFunc(d.f.Fn.FreeVars, func(p *ssa.FreeVar) bool { return slice.Has(p) && !ssautil.IsReference(p.Type()) })
}

// isName reports whether values of type t are compared by what they say, as those that a generic type has as keys mostly are.
func isName(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsString|types.IsInteger) != 0
	case *types.Array:
		return isName(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !isName(f.Type()) {
				return false
			}
		}
		return t.NumFields() > 0
	}
	return false
}

// given returns the parameters of the function without its receiver.
func (d *detector) given() []*ssa.Parameter {
	if d.f.Fn.Signature.Recv() != nil {
		return d.f.Fn.Params[1:]
	}
	return d.f.Fn.Params
}

// isSerial: each object gets a number of its own.
func (t *takeover) isSerial() bool { return t.d.others.Serial(t.put.Loc) }

// compares: the removal is decided by what its section reads, other than whether there is anything, or is given what was put
// in and decides itself.
func (t *takeover) compares() bool {
	if w := t.removal.event; w != nil && !t.isReleased() && slices.ContainsFunc(w.Conditions, func(v ssa.Value) bool {
		return !isName(v.Type()) && t.d.f.Slice(v).HasAny(t.put.Inputs)
	}) {
		return true
	}
	f, w := t.removal.made(t.d)
	return w == nil || slices.ContainsFunc(w.Control, func(i int) bool {
		e := f.Events[i]
		return e.Reads() && (e.Ord == w.Ord || summary.SharePassage(e, w)) && !(sameCell(e, w) && asksForAny(f, e, w))
	})
}

// made returns the function that makes the removal itself, with the access there, or nil. Functions that call each other have no
// such place.
func (r removal) made(d *detector) (*summary.Func, *summary.Event) {
	f, w := d.f, r.event
	if w == nil {
		f = d.pkg.Funcs[r.callee.Func.ID]
		w = r.in(f)
	}
	for g, e := range d.others.Descent(f, w) {
		if e.Callee == nil {
			return g, e
		}
	}
	return nil, nil
}

// in returns the removal as an access of the function that is started, or nil.
func (r removal) in(f *summary.Func) *summary.Event {
	i := slices.IndexFunc(f.Events, func(e *summary.Event) bool {
		return e.Op&summary.Delete != 0 && e.Loc == r.access.Loc && e.Base == r.access.Base && e.Key == r.access.Key
	})
	if i < 0 {
		return nil
	}
	return f.Events[i]
}

// asksForAny reports whether all that decides about an act, of what a look-up of an element has found, is whether there is one.
func asksForAny(f *summary.Func, look, act *summary.Event) bool {
	for _, cond := range f.Conditions(act) {
		if f.Slice(cond).HasAny(look.Values) && summary.AbsentSide(cond, look) < 0 {
			return false
		}
	}
	return true
}

// replaces: the writer puts an object under a name, whatever is there; or it is somebody else who removes one, so that
// the next one finds the place free.
func (t *takeover) replaces() bool {
	if t.isReleased() {
		return t.anyInsertion(func(*summary.Func, *summary.Event) bool { return true })
	}
	return t.frees() || t.anyInsertion(func(f *summary.Func, e *summary.Event) bool { return !asksWhatIsThere(f, e) })
}

// asksWhatIsThere reports whether a write is decided by a look at what it replaces.
func asksWhatIsThere(f *summary.Func, w *summary.Event) bool {
	return slices.ContainsFunc(w.Control, func(i int) bool { return f.Events[i].Reads() && sameCell(f.Events[i], w) })
}

// frees reports whether the writer removes an object under a name, elsewhere. One that only the function calls removes its own;
// the function learns of the removal of a channel that it waits for; and what it adds to a list is not the list.
//
//	s.replies[id] = reply // the goroutine that removes the channel sends to it
func (t *takeover) frees() bool {
	w := t.writer
	if w.Effect != summary.Removes || len(t.put.Added) > 0 || w.Fn < 0 || w.Fn == t.d.f.ID || w.Pos.Text == t.removal.pos().Text && !t.isOffered(w) || t.d.pkg.Processes().OnlyReachedBy(t.d.pkg.Funcs[w.Fn], t.d.f) ||
		slices.ContainsFunc(t.put.Inputs, func(v ssa.Value) bool { _, ok := v.Type().Underlying().(*types.Chan); return ok }) {
		return false
	}
	return slices.ContainsFunc(t.d.pkg.Funcs[w.Fn].Events, func(e *summary.Event) bool {
		return e.Pos.Text == w.Pos.Text && e.Loc == t.put.Loc && e.Op&summary.Delete != 0 && e.Key != "" && e.Callee == nil && !t.isLeftUnfinished(t.d.pkg.Funcs[w.Fn], e)
	})
}

// isOffered reports whether the function that makes the removal is one which users of the object may call, too.
//
//	func (g *Group) run(key string, c *call) { …; g.Forget(key) }
//
// If users can also call what puts an object there, the two are the halves of a lock or of a claim, and who calls the one has called the other:
//
//	func (l *Keys) Do(key string, f func()) { if l.TryLock(key) { f(); l.Unlock(key) } }
func (t *takeover) isOffered(w *summary.Writer) bool {
	return t.isOfObject(w) && !slices.ContainsFunc(t.d.pkg.Location(t.put.Loc).Writers, func(put summary.Writer) bool {
		return put.Effect != summary.Removes && put.Fn != t.d.f.ID && put.Fn >= 0 && t.isOfObject(&put)
	})
}

// isOfObject reports whether a writer is an exported method of the type which the function is a method of.
func (t *takeover) isOfObject(w *summary.Writer) bool {
	fn := t.d.pkg.Funcs[w.Fn].Fn
	of, user := fn.Signature.Recv(), t.d.f.Fn.Signature.Recv()
	return token.IsExported(fn.Name()) && of != nil && user != nil && ssautil.Declared(of.Type()) == ssautil.Declared(user.Type())
}

// isLeftUnfinished reports whether others only remove an object that is finished, by a field which nobody but the function sets,
// and not before its own removal: what it has put there is a placeholder.
//
//	s.slots[name] = &slot{}
//	vm, err := boot()
//	if err != nil { delete(s.slots, name); return }
//	s.slots[name].vm = vm // others: if s.slots[name].vm == nil { return errBooting }; delete(s.slots, name)
func (t *takeover) isLeftUnfinished(f *summary.Func, removal *summary.Event) bool {
	other := t.d.in(f)
	return t.removal.event != nil && !t.isEmptiedByOther() && slices.ContainsFunc(removal.Control, func(i int) bool {
		test := f.Events[i]
		return test.Reads() && test.Base == removal.ElementPath() && other.oneSection(test, removal) && isSetAt(f, test, removal) && t.setsLater(test.Loc)
	})
}

// isEmptiedByOther reports whether somebody else removes all objects, or replaces the container.
func (t *takeover) isEmptiedByOther() bool {
	return slices.ContainsFunc(t.d.pkg.Location(t.put.Loc).Writers, func(w summary.Writer) bool {
		f, e := t.d.pkg.WriteOf(&w)
		return f != t.d.f && e != nil && e.Key == "" && !f.Constructs()
	})
}

// isSetAt reports whether what was read is certainly not zero where an act is made.
func isSetAt(f *summary.Func, e, act *summary.Event) bool {
	return f.Knows(e, act.Instr.Block(), func(is branch.Fact) bool {
		return is.NonNil() || is.True() || is.NonEmpty() || is.IsNot(constant.MakeInt64(0))
	})
}

// setsLater reports whether only the function writes a location, and not before its removal.
func (t *takeover) setsLater(l accesspath.Location) bool {
	info := t.d.pkg.Location(l)
	return !info.Constant() && !slices.ContainsFunc(info.Writers, func(w summary.Writer) bool { return w.Fn != t.d.f.ID }) &&
		!slices.ContainsFunc(t.d.f.Events, func(w *summary.Event) bool {
			return w.Writes() && w.Loc == l && t.d.f.Order().Flows(w.Instr, t.removal.event.Instr)
		})
}

// ignoresPredecessor: the writer does not fetch what it replaces, as one does who ends it.
func (t *takeover) ignoresPredecessor() bool {
	return !t.isReleased() && !t.frees() && !t.anyInsertion(func(f *summary.Func, e *summary.Event) bool {
		return slices.ContainsFunc(f.Events, func(old *summary.Event) bool {
			return old.Reads() && old.Op&summary.Presence == 0 && old.Key != "" && sameCell(old, e) && (old.Ord == e.Ord || summary.SharePassage(old, e))
		})
	})
}

// anyInsertion reports whether the writer puts an object under a name, in a way that is asked. What it puts into the object that is there, under
// a name with more parts, does not count.
func (t *takeover) anyInsertion(asked func(f *summary.Func, e *summary.Event) bool) bool {
	w := t.writer
	if w.Fn < 0 {
		return false
	}
	f := t.d.pkg.Funcs[w.Fn]
	return slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
		return e.Pos.Text == w.Pos.Text && e.Loc == t.put.Loc && e.Callee == nil && inserts(e) && len(e.Key.Parts()) == len(t.put.Key.Parts()) && (e.Const == "" || t.isReleased()) && e.Op&summary.Compare == 0 && asked(f, e)
	})
}

// isKeptOut: a lock that the writer needs is held from the registration to the removal.
func (t *takeover) isKeptOut() bool {
	return t.removal.event != nil && t.writer.Needs(t.d.f.HeldForward(t.put, t.removal.event))
}

// meets: the writer can run beside the function.
func (t *takeover) meets() bool { return t.d.pkg.Processes().ConcurrentAt(t.d.f, t.put, t.writer) }

func (t *takeover) finding(at token.Pos, doubts finding.Doubts) finding.Finding {
	d := t.d
	put, done, note := "put in", "have put another in its place", "another is put in its place here, by "
	switch {
	case t.isReleased():
		put, done = "removed", "have put something there since"
	case t.put.Reads() && !t.put.Writes():
		put = "found"
	case t.frees():
		done, note = "have removed that, and another be there", "that is removed here, by "
	}
	if t.writer.Pos.Pos == d.pos(t.put) {
		note = "" // another run of the function
	} else {
		note += t.writer.Func
	}
	f := finding.Finding{
		Pos: at, Category: checkThenAct, Doubts: doubts,
		Message: fmt.Sprintf("%s is removed here, whatever is there by now: it was %s at line %d, and %s (%s) may %s",
			d.f.NameOf(t.put), put, d.line(d.pos(t.put)), t.writer.Func, t.writer.Pos.Text, done),
		Notes: []finding.Note{{Pos: d.pos(t.put), Message: d.f.NameOf(t.put) + " is " + put + " here"}},
	}
	act := t.removal.event
	if act == nil {
		act = &summary.Event{Instr: t.removal.start, Ref: t.put.Ref, Op: summary.Write}
		f.Notes = append(f.Notes, finding.Note{Pos: ssautil.Pos(t.removal.start), Message: "what removes it is started here"})
	}
	return d.interruption(f, t.put, act, t.writer, note)
}
