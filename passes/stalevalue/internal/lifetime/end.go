package lifetime

import (
	"go/types"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"golang.org/x/tools/go/ssa"
)

// Ends returns the ends of the objects that are found in a variable, in the order of the
// functions. They are computed when they are asked for, as most variables have no guard and
// nobody asks for them.
func (p *Finder) Ends(variable accesspath.Location) []End {
	if p.writes == nil {
		p.writes = p.findWrites()
	}
	if _, known := p.ends[variable]; !known {
		p.ends[variable] = nil
		for _, w := range p.writes[variable] {
			if f := p.Funcs[w.fn]; p.takesOut(f, f.Events[w.event]) {
				p.endsBy(f, f.Events[w.event])
			}
		}
		p.leftThere(variable)
	}
	return p.ends[variable]
}

// leftThere adds the ends of elements that functions close and leave in the variable, where the next one finds them.
//
//	s.mu.Lock(); w, ok := s.watchers[id]; s.mu.Unlock()
//	if ok { close(w.done) }
func (p *Finder) leftThere(variable accesspath.Location) {
	if p.closers == nil {
		p.closers = []*process.Func{}
		for f := range p.Sharing() {
			if slices.ContainsFunc(p.Uses(f), func(u Use) bool { return !u.Sends && !u.File && u.Of != "" }) {
				p.closers = append(p.closers, f)
			}
		}
	}
	for _, f := range p.closers {
		for _, r := range f.Events {
			if r.Loc != variable || !isOneOf(f, r.Key) || !r.Reads() || r.Writes() || len(r.Holds) == 0 || p.Takes(f, r) {
				continue
			}
			o := p.Found(f, r)
			for _, u := range p.Uses(f) {
				if !u.Sends && !u.File && u.Of != "" && o.Has(u.Object) && isElement(f, r, u.Object) && !MayBeNew(u.Object) && !changes(f, variable, nil) && !changes(f, u.Of, u.Instr) {
					p.add(f, r, End{Kind: Closed, Of: u.Of, At: u.Pos, Locks: u.Locks, Claims: u.Claims, Asks: u.asked(), Left: true})
				}
			}
		}
	}
}

// isElement reports whether an object is the element that r finds, and not something that was made with it.
func isElement(f *process.Func, r *funcsum.Event, object ssa.Value) bool {
	path := f.Res.Resolve(object).Path
	return path != accesspath.Unknown && path == r.Path
}

// isOneOf reports whether a key selects one element, and not each in turn.
func isOneOf(f *process.Func, key accesspath.Key) bool {
	if key == "" || key.HasAny() {
		return false
	}
	switch f.Res.Definition(key.Path().Root()).(type) {
	case *ssa.Phi, *ssa.Next:
		return false
	}
	return true
}

// changes reports whether a function writes a location, but for the instruction that closes the channel there.
func changes(f *process.Func, l accesspath.Location, closes ssa.Instruction) bool {
	return slices.ContainsFunc(f.Events, func(e *funcsum.Event) bool { return e.Writes() && e.Loc == l && e.Instr != closes })
}

// A writeAt is a write: the number of its function, and its index in the events.
type writeAt struct{ fn, event int32 }

// findWrites returns the writes of the functions that may run on published objects, by location.
func (p *Finder) findWrites() map[accesspath.Location][]writeAt {
	out := make(map[accesspath.Location][]writeAt)
	for f := range p.Sharing() {
		for i, e := range f.Events {
			if e.Writes() {
				out[e.Loc] = append(out[e.Loc], writeAt{int32(f.ID), int32(i)})
			}
		}
	}
	return out
}

// endsBy adds the ends of the objects that the write out takes out: those that f has found in the
// variable, and those by which it selects what to delete.
func (p *Finder) endsBy(f *process.Func, out *funcsum.Event) {
	for _, r := range f.Events {
		same := finds(r, out)
		if !r.Reads() || !same && !deletesKey(out) {
			continue
		}
		if r != out && r.Instr != out.Instr && !f.Order().Flows(r.Instr, out.Instr) {
			continue // what is there by then is another object
		}
		if o := p.Found(f, r); len(o.hops) > 0 && (same && !fillsGap(f, r, out) || p.isKeyOf(f, o, out)) {
			p.endsOf(f, out, o)
		}
	}
	for _, prm := range f.Fn.Params {
		if named := ssautil.Named(prm.Type()); named != nil && named.Obj().Name() == out.Loc.Type() {
			continue // the object with the variable
		}
		if isElementOf(f, prm, out) {
			p.endsOf(f, out, p.reach(f, prm))
		} else if o := p.reach(f, prm); p.isKeyOf(f, o, out) {
			p.endsOf(f, out, o)
		}
	}
}

// isElementOf reports whether out removes an element of a list, and the parameter is a pointer to
// such elements: it is the one that the function looks for and removes.
//
//	i := s.index(f.id)
//	s.files = append(s.files[:i], s.files[i+1:]...)
//	f.Close()
func isElementOf(f *process.Func, prm *ssa.Parameter, out *funcsum.Event) bool {
	if out.Callee != nil || len(out.Inputs) != 1 || !slices.ContainsFunc(out.Data, func(i int) bool { return finds(f.Events[i], out) }) {
		return false
	}
	list, ok := out.Inputs[0].Type().Underlying().(*types.Slice)
	return ok && ssautil.Deref(prm.Type()) != prm.Type() && types.Identical(list.Elem(), prm.Type())
}

// endsOf adds the ends of the object o that out takes out.
func (p *Finder) endsOf(f *process.Func, out *funcsum.Event, o *Object) {
	for _, u := range p.Uses(f) {
		if !u.Sends && o.Has(u.Object) && u.Of.Type() != out.Loc.Type() {
			kind := Closed
			if u.File {
				if kind = Shut; !f.Order().Flows(out.Instr, u.Instr) && !shareLock(f.Locks(out), u.Locks) {
					continue // the object may have got another file since then
				}
			}
			p.add(f, out, End{Kind: kind, Of: u.Of, At: u.Pos, Locks: u.Locks, Claims: u.Claims, Asks: u.asked(), Waits: p.waits(f, out.Instr, u.Instr)})
		}
	}
	p.closesReplaced(f, out, o)
	for i, e := range f.Events {
		if e.Loc.Type() != out.Loc.Type() && p.within(f, o, e) {
			p.endBy(f, out, o, i)
		}
	}
}

func shareLock(a, b []accesspath.Location) bool {
	return slices.ContainsFunc(a, func(l accesspath.Location) bool { return slices.Contains(b, l) })
}

// endBy adds the end of the object o that out takes out, by the access with index i to the object.
func (p *Finder) endBy(f *process.Func, out *funcsum.Event, o *Object, i int) {
	e := f.Events[i]
	end := End{Of: e.Loc, At: e.Pos, Locks: f.Locks(e), Deep: e.Depth() > 1 || out.Depth() > 1}
	own, _ := f.Fn.Object().(*types.Func)
	closing := own != nil && IsClosing(own) // what comes after the end of the owner is lost anyhow
	switch {
	case e.Writes() && !e.Reads() && (e.Const == "nil" || e.Op&fact.Delete != 0 && e.Key != ""):
		end.Kind, end.Element = Cleared, e.Op&fact.Delete != 0
	case !e.Reads() || e.Writes() || e.Op&fact.Presence != 0:
		return
	case slices.Contains(out.Control, i) && !closing:
		end.Kind = Judged
	case (isContent(e) || p.isOfEach(f, out, e)) && !closing && e.Instr != out.Instr && p.isLastLook(f, out, o, e):
		end.Kind, end.Period = Drained, !isContent(e)
	default:
		return
	}
	if f.Order().Flows(out.Instr, e.Instr) {
		end.Waits = p.waits(f, out.Instr, e.Instr)
	}
	p.add(f, out, end)
}

// isLastLook reports whether f looks at content after it has taken the object out, or takes the content away before that in the section
// in which it takes the object out, and does not put it elsewhere.
//
//	for id, m := range s.meters {
//		m.mu.Lock(); rows := m.rows; m.rows = nil; m.mu.Unlock()
//		save(id, rows)
//		delete(s.meters, id)
//	}
func (p *Finder) isLastLook(f *process.Func, out *funcsum.Event, o *Object, e *funcsum.Event) bool {
	if !deletesKey(out) {
		return f.Order().Flows(out.Instr, e.Instr) && !f.Order().Flows(e.Instr, out.Instr)
	}
	// In a loop, the next one that is removed is another element.
	if forward(f, out.Instr, e.Instr) {
		return !forward(f, e.Instr, out.Instr)
	}
	if !forward(f, e.Instr, out.Instr) || !shareLock(f.HeldForward(e, out), p.Location(out.Loc).Guards) {
		return false
	}
	judged := slices.ContainsFunc(out.Control, func(i int) bool { return f.Events[i].Loc == e.Loc }) // by what is left
	return !judged && !o.isMoved() && slices.ContainsFunc(f.Events, func(w *funcsum.Event) bool {
		return w.Writes() && w.Loc == e.Loc && w.Base == e.Base && w.Const == "nil" && funcsum.SharePassage(e, w)
	})
}

// isContent reports whether a read is of the elements of a container, or of the container. A
// number mostly says how much there was, for a statistic.
func isContent(e *funcsum.Event) bool {
	return e.Key != "" || slices.ContainsFunc(e.Values, func(v ssa.Value) bool { return depgraph.IsContainer(v.Type()) })
}

// isOfEach reports whether a function reads a number of each element of a map that was replaced as a whole: with the
// map, a period has ended.
//
//	old := m.counts
//	m.counts = make(map[key]*counter)
//	for k, c := range old { lines = append(lines, line{k, c.n.Load()}) }
func (p *Finder) isOfEach(f *process.Func, out, e *funcsum.Event) bool {
	return out.Key == "" && slices.ContainsFunc(p.Through(f, e), func(v ssa.Value) bool {
		element, ok := ssautil.Whole(v).(*ssa.Extract)
		if !ok {
			return false
		}
		_, ok = element.Tuple.(*ssa.Next)
		return ok
	})
}

// finds reports whether r reads the variable that the write out takes something out of.
func finds(r, out *funcsum.Event) bool {
	return r.Loc == out.Loc && (r.Base == out.Base || r.Base.Root() != out.Base.Root())
}

// isKeyOf reports whether the key of the element that out deletes is the object o or a part of
// it, which f has found elsewhere, or was given:
//
//	o := t.byName[name]
//	delete(t.byID, o.id)
//
//	delete(c.server.conns, c.id)
//	close(c.done)
func (p *Finder) isKeyOf(f *process.Func, o *Object, out *funcsum.Event) bool {
	if !deletesKey(out) {
		return false
	}
	for v := range o.hops {
		if path := f.Res.Resolve(v).Path; path != accesspath.Unknown && out.Key.Path().Within(path) {
			return true
		}
	}
	return false
}

// deletesKey reports whether a write deletes the element under a key.
func deletesKey(w *funcsum.Event) bool { return w.Op&fact.Delete != 0 && w.Key != "" }

func (p *Finder) add(f *process.Func, out *funcsum.Event, e End) {
	e.Writer, e.Func = f.Writer(out), f
	e.Guards = f.Locks(out)
	for _, have := range p.ends[out.Loc] {
		if have.Kind == e.Kind && have.Of == e.Of && have.Func == f {
			return
		}
	}
	p.ends[out.Loc] = append(p.ends[out.Loc], e)
}

// within reports whether e accesses the object o.
func (p *Finder) within(f *process.Func, o *Object, e *funcsum.Event) bool {
	return slices.ContainsFunc(p.Through(f, e), o.Has)
}

// Through returns the values through which e accesses memory: the address, or the arguments of
// the call that lead there.
func (p *Finder) Through(f *process.Func, e *funcsum.Event) []ssa.Value {
	switch instr := e.Instr.(type) {
	case *ssa.UnOp:
		return []ssa.Value{instr.X}
	case *ssa.Store:
		return []ssa.Value{instr.Addr}
	case *ssa.MapUpdate:
		return []ssa.Value{instr.Map}
	case *ssa.Lookup:
		return []ssa.Value{instr.X}
	case *ssa.Next:
		return []ssa.Value{instr.Iter}
	case ssa.CallInstruction:
		var out []ssa.Value
		args := instr.Common().Args
		if mc, ok := instr.Common().Value.(*ssa.MakeClosure); ok {
			args = append(slices.Clone(args), mc.Bindings...)
		}
		for _, a := range args {
			path := f.Res.Resolve(a).Path
			if e.Base.Within(path) || e.Path.Within(path) || e.Base == accesspath.Unknown && e.Callee == nil {
				out = append(out, a)
			}
		}
		return out
	}
	return nil
}

// waits reports whether f waits for something on the way from one instruction to another: for
// a group of goroutines, or for a channel.
func (p *Finder) waits(f *process.Func, from, to ssa.Instruction) bool {
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if funcsum.GivesTime(instr) && forward(f, from, instr) && forward(f, instr, to) {
				return true
			}
		}
	}
	return false
}

// forward reports whether control can flow from one instruction to another without a back edge.
func forward(f *process.Func, from, to ssa.Instruction) bool {
	return f.Order().Exists(funcsum.Way{From: from, To: to, Forward: true})
}

// takesOut reports whether a write takes an object out of a variable: an element is deleted, or
// the variable is set to another object.
func (p *Finder) takesOut(f *process.Func, w *funcsum.Event) bool {
	if !w.Writes() || w.Op&fact.Content != 0 || w.Delta() || w.Base == accesspath.Unknown && w.Callee != nil {
		return false
	}
	if info := p.Location(w.Loc); info.Constant() {
		return false
	}
	effect := f.Writer(w).Effect
	return w.Op&fact.Delete != 0 || effect == fact.Removes || w.Key == "" && effect != fact.Raises && effect != fact.Lowers
}

// Takes reports whether f, or the callee that makes the read e, takes the object that it finds
// out of the variable in the same section. To put one there that was missing is not to take it:
//
//	o := t.objects[k]
//	if o == nil {
//		o = new(object)
//		t.objects[k] = o
//	}
func (p *Finder) Takes(f *process.Func, e *funcsum.Event) bool {
	if e.Callee != nil {
		return p.inCallee(f, e, p.Takes) || e.Callee.Foreign && claimsInCallee(e)
	}
	return e.Writes() || slices.ContainsFunc(f.Events, func(w *funcsum.Event) bool {
		return w.Loc == e.Loc && p.takesOut(f, w) && funcsum.SharePassage(e, w) && f.Order().Flows(e.Instr, w.Instr) && !fillsGap(f, e, w)
	})
}

// fillsGap reports whether the write w is only made if e has found nothing.
func fillsGap(f *process.Func, e, w *funcsum.Event) bool {
	return slices.ContainsFunc(f.Branches(w), func(br *ssa.If) bool {
		side := funcsum.AbsentSide(br.Cond, e)
		return side >= 0 && br.Block().Succs[side].Dominates(w.Instr.Block())
	})
}

// inCallee reports whether a property holds for one of the reads of a callee of f that may be
// the read e of f.
func (p *Finder) inCallee(f *process.Func, e *funcsum.Event, holds func(*process.Func, *funcsum.Event) bool) bool {
	call, ok := e.Instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	for _, c := range p.Callees(f.Body, call.Common()) {
		if c.Fn == nil || p.Of(c.Fn) == f || p.Of(c.Fn).Flow == nil {
			continue
		}
		for _, r := range p.Of(c.Fn).Events {
			if r.Reads() && r.Loc == e.Loc && (r.Callee == nil || r.Depth() < e.Depth()) && holds(p.Of(c.Fn), r) {
				return true
			}
		}
	}
	return false
}
