package stalevalue

import (
	"fmt"
	"go/constant"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A pair is a read of a guarded location and another access of the function, which may
// come in a later section.
type pair struct {
	d         *detector
	read, act *summary.Event
	readIndex int
	guard     summary.Hold // under which the read was made
	info      *summary.LocInfo
	// What is written, or its key, depends on the value read; or the decision to write.
	data, decides bool
	// awaited says that the act follows a wait for what was read (weak control dependence): see awaits.
	awaited bool
	// collected says how the object of the read is put into a list, through which the function comes to the act: see collects.
	collected *summary.Collection
	// ofEach says that the read is of each element of a list, and the act of each in a later loop: see isEach.
	ofEach  bool
	effect  *effect             // the act, if that is no write
	distant *summary.DistantAct // the act, if another goroutine makes it
}

// A candidate is a pair with a reason why its accesses belong together.
type candidate struct {
	pair
	link *link
}

func (c *candidate) String() string {
	return fmt.Sprintf("%s: %s at line %d, %s at line %d, in %s", c.link,
		c.d.f.NameOf(c.read), c.d.line(c.d.pos(c.read)), c.d.f.NameOf(c.act), c.d.line(c.d.pos(c.act)), summary.Name(c.d.f.Fn))
}

func (c *candidate) Positions() []token.Pos {
	return []token.Pos{c.d.pos(c.act), c.d.pos(c.read), c.d.f.Fn.Pos()}
}

// validGuard returns the hold under which r is read of a guard that all
// writers of the location hold, or of the atomic operation that it is.
func validGuard(r *summary.Event, info *summary.LocInfo) (summary.Hold, bool) {
	if info.Constant() {
		return summary.Hold{}, false
	}
	for _, h := range r.Holds {
		if slices.Contains(info.Guards, h.Class) {
			return h, true
		}
	}
	for _, h := range r.Holds {
		if h.Inner && info.Atomic && strings.HasPrefix(string(h.Class), string(r.Loc)) {
			return h, true
		}
	}
	return summary.Hold{}, false
}

// sameCell reports whether a and b access the same element of the same object.
func sameCell(a, b *summary.Event) bool {
	return a.Loc == b.Loc && accesspath.Same(a.Base, b.Base) && accesspath.KeysOverlap(a.Key, b.Key)
}

// sameElement reports whether a and b access one element, or no element.
func sameElement(a, b *summary.Event) bool {
	return a.Key == "" && b.Key == "" || accesspath.SameElement(a.Key, b.Key)
}

// decidedBy reports whether one of the accesses that the act is control dependent on, but
// for the read, is as asked for.
func (p *pair) decidedBy(is func(e *summary.Event, i int) bool) bool {
	return slices.ContainsFunc(p.act.Control, func(i int) bool { return i != p.readIndex && is(p.d.f.Events[i], i) })
}

// related reports whether one of two objects is a part of the other.
func related(a, b accesspath.Path) bool { return a.Within(b) || b.Within(a) }

func (p *pair) sameCell() bool {
	return sameCell(p.read, p.act) && p.isNamedAlike() || p.putsCopyBack() || p.collected != nil || p.ofEach
}

// collects returns how the object of the read, or the key that it looks for, is put into a list, as the read decides, if the function
// comes through the list to another access of what was read; nil otherwise.
//
//	for _, s := range r.sessions { if s.state == idle { due = append(due, s) } }
//	for _, s := range due { s.close() } // which writes s.state
//
//	for _, k := range keys { if s.m[k] == nil { missing = append(missing, k) } }
//	for _, k := range missing { s.m[k] = &item{k} }
func (p *pair) collects(e *summary.Event) *summary.Collection {
	if e.Loc != p.read.Loc {
		return nil
	}
	base, c := p.d.f.Collected(e.Base, p.read)
	if !accesspath.KeysOverlap(e.Key, p.read.Key) || c.By == nil && accesspath.Same(e.Base, p.read.Base) {
		base, c = p.collectsKey(e)
	}
	if c.By == nil || base != p.read.Base || !slices.ContainsFunc(c.In.Deciding(c.By.Block()), func(br *ssa.If) bool {
		return c.In.Slice(br.Cond).HasAny(c.Read.Values)
	}) || isTakenOut(c) || isClaimed(c) {
		return nil
	}
	return &c
}

// collectsKey is collects for the key that was looked for, or for the keys of the container that was ranged over.
func (p *pair) collectsKey(e *summary.Event) (accesspath.Path, summary.Collection) {
	key, c := p.d.f.Collected(e.Key.Path(), p.read)
	ranged := p.read.Key == "" && (key == accesspath.Path(accesspath.AnyKey) || c.In == p.d.f.Body && c.In.IsKeyOf(key, p.read))
	if c.By != nil && (key == p.read.Key.Path() || ranged) {
		return p.read.Base, c
	}
	return accesspath.Unknown, summary.Collection{}
}

// isTakenOut reports whether the objects of a collection are removed from its container in the section of the read: others find it no more.
//
//	for k, s := range r.sessions { if s.state == idle { delete(r.sessions, k); out = append(out, s) } }
func isTakenOut(c summary.Collection) bool {
	return slices.ContainsFunc(c.In.Events, func(e *summary.Event) bool {
		return e.Op&summary.Delete != 0 && summary.SharePassage(e, c.Read) && c.Read.Base.Within(e.ElementPath())
	})
}

// isClaimed reports whether the key is also entered in another container in the section of the read, in which it has been looked for: others
// leave out what has been claimed.
//
//	for _, k := range keys { if s.m[k] == nil && !s.opening[k] { s.opening[k] = true; missing = append(missing, k) } }
func isClaimed(c summary.Collection) bool {
	if c.Read.Key == "" {
		return false
	}
	return slices.ContainsFunc(c.In.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Op&summary.Delete == 0 && e.Key == c.Read.Key && summary.SharePassage(e, c.Read) && slices.ContainsFunc(e.Control, func(i int) bool {
			r := c.In.Events[i]
			return r.Loc == e.Loc && r.Key == e.Key && summary.SharePassage(r, e)
		})
	})
}

// decision returns the pair in the function in which the read decides, and the block that it decides about: that of the act, or that in
// which the object is put into the list of those to act on.
func (p *pair) decision() (*pair, *ssa.BasicBlock) {
	switch c := p.collected; {
	case c == nil:
		return p, p.act.Instr.Block()
	case c.In == p.d.f.Body:
		return p, c.By.Block()
	default:
		in := *p
		in.d = p.d.in(p.d.pkg.FuncOf(c.In.Fn))
		in.read, in.collected = c.Read, nil
		return &in, c.By.Block()
	}
}

// isNamedAlike reports whether control can come from the read to the act without a new execution of what the name of
// the cell is computed from. Otherwise the act is on a cell of another turn of a loop:
//
//	for msg := range s.inbox {
//		if s.has(msg.id) { continue }
//		s.put(msg.id) // the id that was looked for last was another one
//	}
func (p *pair) isNamedAlike() bool {
	order, f := p.d.f.Order(), p.d.f
	for _, name := range append(p.read.Base.Keys(), p.read.Key.Parts()...) {
		def, ok := f.Res.Definition(name.Path()).(ssa.Instruction)
		if x, ok := def.(*ssa.Extract); ok {
			def, _ = x.Tuple.(ssa.Instruction) // the key that a call returns beside other results
		}
		if ok && def != p.read.Instr && order.MustPass(p.read.Instr, def, p.act.Instr) {
			return false
		}
	}
	return true
}

// putsCopyBack reports whether the act puts a copy of the element that was read into its container, under a key that is
// a field of the copy.
//
//	next := *s.load(name) // s.states[name]
//	next.seen = now
//	s.save(&next) // s.states[next.name]
//
// Elements that have their own key are in the container under that.
func (p *pair) putsCopyBack() bool {
	r, w := p.read, p.act
	if r.Loc != w.Loc || r.Key == "" || w.Key == "" || !accesspath.Same(r.Base, w.Base) {
		return false
	}
	key := w.Key.Path()
	made, ok := p.d.f.Res.Definition(key.Root()).(*ssa.Alloc)
	if !ok || key.Parent() != key.Root() || !slices.ContainsFunc(w.Inputs, func(v ssa.Value) bool { return isOf(v, made) }) {
		return false
	}
	copied := false
	for _, use := range *made.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			load, ok := use.Val.(*ssa.UnOp)
			copied = copied || use.Addr == made && (p.d.f.Slice(use.Val).HasAny(r.Values) || ok && p.d.f.Slice(load.X).HasAny(r.Values))
		case *ssa.FieldAddr:
			if accesspath.Path("."+ssautil.Field(use.X.Type(), use.Field).Name()) == accesspath.Path(key.Last()) && isStored(use) {
				return false // it has got another key
			}
		}
	}
	return copied
}

// isOf reports whether v is an object, or what it contains.
func isOf(v ssa.Value, made *ssa.Alloc) bool {
	v = ssautil.Unboxed(v)
	load, ok := v.(*ssa.UnOp)
	return v == made || ok && load.X == made
}

// isStored reports whether a value is written through an address.
func isStored(addr ssa.Value) bool {
	return slices.ContainsFunc(*addr.Referrers(), func(use ssa.Instruction) bool {
		store, ok := use.(*ssa.Store)
		return ok && store.Addr == addr
	})
}

// decides reports whether a branch on what r read decides about w in this
// function.
func (d *detector) decides(r, w *summary.Event) bool {
	return slices.ContainsFunc(d.f.OwnConditions(w), func(c ssa.Value) bool {
		return d.f.Slice(c).HasAny(r.Values)
	})
}

// A reference is a use of the elements of a container, and the read that the reference to
// it comes from, in a section that ends before.
type reference struct {
	d    *detector
	read *summary.Event
	use  ssa.Instruction
	info *summary.LocInfo
	// under is the guard that it was taken under; it has none if the function
	// took it outside of all critical sections, though it knows of them.
	under summary.Hold
	known bool
	// appends says that the use is an append, which needs no other writer than itself.
	appends bool
}

// wanted returns the constant that what was read has to be for the act, "" if the decision does not ask for one; and whether it asks for
// what a variable has, which does not come from the cell itself.
func (p *pair) wanted() (text string, named bool) {
	in, at := p.decision()
	for is := range in.d.f.FoundAt(in.read, at) {
		switch {
		case is.Relation != branch.Equal || is.Length:
		case is.Const != nil && is.Const.Kind() != constant.Bool:
			return is.Const.ExactString(), false
		case is.Other != nil && in.isApart(is.Other):
			named = true
		}
	}
	return "", named
}

// isApart reports whether a value, of the function or a parameter of a predicate that it calls, does not come from the read.
func (p *pair) isApart(v ssa.Value) bool {
	if v.Parent() != p.d.f.Fn {
		_, param := v.(*ssa.Parameter)
		return param
	}
	return !p.d.f.Slice(v).HasAny(p.read.Values)
}
