package viewconsistency

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// The rules of this file say whether two reads that are taken apart do harm.

// joined: the two values have a common correlation: they come together in one result,
// call, write or decision.
//
//	use(p.X())
//	use(p.Y()) // each for itself
func (c *candidate) joined() bool { return c.join().At != nil }

// subscription: the first read is of a channel that tells of changes. Who has the
// channel first, and then looks, misses nothing: if what it sees is old, the channel
// wakes it. The other order is wrong.
//
//	ch := t.Changed()
//	if t.Value() == want {
//		return
//	}
//	<-ch
func (c *candidate) subscription() bool {
	return slices.ContainsFunc(c.first.Values, func(v ssa.Value) bool {
		_, ok := v.Type().Underlying().(*types.Chan)
		return ok
	})
}

// publishedLast: the two reads of a pair of atomic variables are made only after a third
// one said that the pair is there: the function that stores the pair writes that one
// afterwards, and not again while others rely on it.
//
//	if !d.loaded.Load() {
//		return 0
//	}
//	return d.rows.Load() * d.cols.Load()
func (c *candidate) publishedLast() bool {
	if c.relation != readsOfStored {
		return false
	}
	for _, br := range c.d.f.Branches(c.first) {
		slice := c.d.f.Slice(br.Cond)
		for _, z := range c.d.f.Events {
			if !z.Reads() || c.view.Has(z.Loc) || !slice.HasAny(z.Values) {
				continue
			}
			if c.d.writesWithView(c.view, z.Loc) {
				return true
			}
		}
	}
	return false
}

// writesWithView reports whether the function of a view writes a location, itself or by a callee.
func (d *detector) writesWithView(v *summary.View, l accesspath.Location) bool {
	if v.Fn >= 0 {
		return slices.ContainsFunc(d.pkg.Funcs[v.Fn].Events, func(e *summary.Event) bool { return e.Writes() && e.Loc == l })
	}
	info := d.pkg.Location(l)
	return slices.ContainsFunc(info.Writers, func(w summary.Writer) bool { return w.Func == v.Func })
}

// memoized: one of the two locations is a memo. The callee that reads it stores the result of a computation if the
// location is empty, and the code that has the view writes it by such callees only. The store is idempotent, so that
// the value does not depend on the interleaving.
//
//	func (t *Tx) Hash() Hash {
//		if h := t.hash.Load(); h != nil {
//			return *h
//		}
//		h := sum(t.data)
//		t.hash.Store(&h)
//		return h
//	}
func (c *candidate) memoized() bool {
	return c.d.isMemo(c.first, c.view) || c.d.isMemo(c.second, c.view)
}

// isMemo reports whether a read memoizes its location, and the function of a view does nothing else to it.
func (d *detector) isMemo(read *summary.Event, v *summary.View) bool {
	return v.Fn >= 0 && memoizes(read) && !slices.ContainsFunc(d.pkg.Funcs[v.Fn].Events, func(e *summary.Event) bool {
		return e.Writes() && e.Loc == read.Loc && !memoizes(e)
	})
}

// memoizes reports whether the callee that makes an access stores a value depending on what it has read there.
func memoizes(e *summary.Event) bool {
	return e.Callee != nil && slices.ContainsFunc(e.Callee.Accesses, func(a summary.Access) bool {
		return a.Loc == e.Loc && a.Op&summary.Write != 0 && a.Op&summary.Delete == 0 && a.Const == "" &&
			slices.ContainsFunc(a.Control, func(i int) bool { return e.Callee.Accesses[i].Loc == e.Loc })
	})
}

// withTheMovement: the second read is only made where the first has found nothing. There
// the first has nothing more to say, and the two do not come together: whoever looks
// first where things are taken from, and then where they are put, misses none. Against
// that direction something may be missed.
//
//	if job := j.waiting(name); job != nil {
//		return job
//	}
//	return j.running(name) // Start moves a job from waiting to running
//
// The first read may also be that of a search, which returns where it succeeds.
func (c *candidate) withTheMovement() bool {
	if c.view.Takes(c.second.Loc) && !c.view.Takes(c.first.Loc) {
		return false
	}
	if c.searchesFirst() && c.movesForward() {
		return true
	}
	for _, br := range c.d.f.Branches(c.second) {
		side := summary.AbsentSide(br.Cond, c.first)
		if side < 0 {
			continue
		}
		other := br.Block().Succs[1-side].Instrs[0]
		if other != c.second.Instr && !c.d.f.Order().Exists(summary.Way{From: other, To: c.second.Instr, Avoid: br}) {
			return true
		}
	}
	return false
}

// searchesFirst reports whether the function returns an element of the first container, or a part of one, before the second read: control comes to
// that only if the search has failed.
//
//	for _, t := range s.pending() {
//		if v, ok := t.get(key); ok { return v }
//	}
//	return s.stored(key)
func (c *candidate) searchesFirst() bool {
	f := c.d.f
	return slices.ContainsFunc(ssautil.Returns(f.Fn), func(r *ssa.Return) bool {
		if f.Order().Flows(c.second.Instr, r) || !f.Order().Flows(c.first.Instr, r) {
			return false
		}
		return slices.ContainsFunc(r.Results, func(v ssa.Value) bool {
			if call, _ := ssautil.CallOf(v); call != nil { // of an element, or with one
				return slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool { return f.Slice(arg).HasAny(c.first.Values) })
			}
			return f.Slice(v).HasAny(c.first.Values)
		})
	})
}

// movesForward reports whether the code with the view puts an element where the second read looks, and takes it from where the first one looks
// only after that.
func (c *candidate) movesForward() bool {
	if c.view.Fn < 0 || !c.view.Takes(c.first.Loc) || c.view.Takes(c.second.Loc) {
		return false
	}
	by, moves := c.d.pkg.Funcs[c.view.Fn], false
	for _, taken := range by.Events {
		if !taken.Writes() || taken.Loc != c.first.Loc || taken.Effect() != summary.Removes {
			continue
		}
		if !slices.ContainsFunc(by.Events, func(put *summary.Event) bool {
			return put.Writes() && put.Const == "" && put.Loc == c.second.Loc && by.Order().Flows(put.Instr, taken.Instr)
		}) {
			return false
		}
		moves = true
	}
	return moves
}

// keyedByFirst: the first value is the key of the second, or what the key is computed from, and nothing is
// taken out of the container or changed in it: what is found belongs to the first, however late it is.
//
//	head := c.Head()
//	use(head, c.Weight(head.Hash()))
func (c *candidate) keyedByFirst() bool {
	return c.second.Key != "" && c.d.f.Uses(c.second.Instr, c.first.Values) && c.d.onlyFilled(c.second.Loc)
}

// partOfFirst: the second read is of the object that the first one has found. What is in that object belongs to it; that it
// may have been replaced in between is a question of the reference alone.
//
//	q := s.queue() // s.mu
//	q.pop()        // q.mu: the queue that was found, not the one that is there now
func (c *candidate) partOfFirst() bool {
	return c.second.Base.Within(c.first.Path) && c.first.Path != accesspath.Unknown && c.d.f.Uses(c.second.Instr, c.first.Values)
}

// onlyFilled reports whether all that is done to a map is to put something under a key.
func (d *detector) onlyFilled(l accesspath.Location) bool {
	return !slices.ContainsFunc(d.pkg.Location(l).Writers, func(w summary.Writer) bool {
		return w.Fn < 0 || slices.ContainsFunc(d.pkg.Funcs[w.Fn].Events, func(e *summary.Event) bool {
			return e.Loc == l && e.Writes() && (e.Key == "" || e.Key.IsNested() || e.Op&(summary.Delete|summary.Content) != 0 || isIndexed(e))
		})
	})
}

// isIndexed reports whether a write is an assignment to an element of a slice or array: its index selects
// another element when the slice has changed.
func isIndexed(e *summary.Event) bool {
	_, ok := e.Instr.(*ssa.Store)
	return ok
}

// counters: both variables are counters that only come together in a list of such: each
// is right by itself, and the sums say what they say. Computed with each other they are
// not.
//
//	return Report{In: t.In(), Out: t.Out()}
func (c *candidate) counters() bool {
	if c.relation == readsOfPublished || !c.d.pkg.Location(c.first.Loc).Counter || !c.d.pkg.Location(c.second.Loc).Counter {
		return false
	}
	return !c.operands(func(instr ssa.Instruction) (x, y ssa.Value) {
		if op, ok := instr.(*ssa.BinOp); ok {
			return op.X, op.Y
		}
		return nil, nil
	})
}

// onlyAddedTo: the function takes the first value away, and the second one is only what that is added to, or taken from, in the section in
// which it is read.
//
//	s.mu.Lock(); batch := s.pending; s.pending = nil; s.mu.Unlock()
//	s.mu.Lock(); s.held -= len(batch); s.mu.Unlock()
//
// What others have added in between stays, as nobody stores anything else there.
func (c *candidate) onlyAddedTo() bool {
	taken := slices.ContainsFunc(c.d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Loc == c.first.Loc && w.Empties() && summary.SharePassage(w, c.first)
	})
	if !taken || slices.ContainsFunc(c.d.pkg.Location(c.second.Loc).Writers, func(w summary.Writer) bool {
		return w.Effect != summary.Raises && w.Effect != summary.Lowers
	}) {
		return false
	}
	return slices.ContainsFunc(c.d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Delta() && w.Callee == nil && w.Loc == c.second.Loc && summary.SharePassage(w, c.second) && len(w.Inputs) > 0 &&
			onlyUsedBy(c.second.Values, w.Inputs[0])
	})
}

// onlyUsedBy reports whether values are used by nothing but a sum or a difference, the result.
func onlyUsedBy(values []ssa.Value, result ssa.Value) bool {
	sum, ok := result.(*ssa.BinOp)
	return ok && (sum.Op == token.ADD || sum.Op == token.SUB) && !slices.ContainsFunc(values, func(v ssa.Value) bool {
		return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool { return use != sum })
	})
}

// operands reports whether an instruction of the function has both values as its two
// operands, or what is computed from them.
func (c *candidate) operands(of func(ssa.Instruction) (x, y ssa.Value)) bool {
	for _, b := range c.d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			x, y := of(instr)
			if x == nil {
				continue
			}
			one, two := c.d.f.Slice(x), c.d.f.Slice(y)
			if one.HasAny(c.first.Values) && two.HasAny(c.second.Values) || two.HasAny(c.first.Values) && one.HasAny(c.second.Values) {
				return true
			}
		}
	}
	return false
}

// versionCompared: the two values are only used if something else that the view changes,
// a version of the same object, is after both reads what it was before them.
//
//	for {
//		gen := p.Gen()
//		text, html := p.Text(), p.HTML()
//		if p.Gen() == gen {
//			return text, html
//		}
//	}
func (c *candidate) versionCompared() bool {
	order := c.d.f.Order()
	for br := range depgraph.Branches(c.d.f.Fn) {
		if !c.keeps(br) {
			continue
		}
		slice := c.d.f.Slice(br.Cond)
		for _, now := range c.d.f.Events {
			if c.isVersion(now) && slice.HasAny(now.Values) && order.Flows(c.second.Instr, now.Instr) &&
				slices.ContainsFunc(c.d.f.Events, func(before *summary.Event) bool {
					return before.Ord != now.Ord && before.Loc == now.Loc && accesspath.Same(before.Base, now.Base) &&
						slice.HasAny(before.Values) && (before == c.first || order.Flows(before.Instr, c.first.Instr))
				}) {
				return true
			}
		}
	}
	return false
}

// keeps reports whether a branch on the way from the second read to where the two
// values come together decides whether they do, or are read anew first.
func (c *candidate) keeps(br *ssa.If) bool {
	at, order := c.join().At, c.d.f.Order()
	if at == nil || !order.MustPass(c.second.Instr, br, at) {
		return false
	}
	leads := func(side int) bool {
		to := br.Block().Succs[side].Instrs[0]
		return to == at || order.Exists(summary.Way{From: to, To: at, Avoid: c.second.Instr})
	}
	return leads(0) != leads(1)
}

// isVersion reports whether e reads something else of the same object that the
// view changes, or its function beside the view, or the first variable if that is a counter: other
// values may change and come back.
func (c *candidate) isVersion(e *summary.Event) bool {
	return e.Reads() && (c.view.Has(e.Loc) || c.d.writesWithView(c.view, e.Loc)) && e.Loc != c.second.Loc &&
		(e.Loc != c.first.Loc || c.d.pkg.Location(e.Loc).Counter) &&
		(accesspath.Same(e.Base, c.first.Base) || accesspath.Same(e.Base, c.second.Base))
}
