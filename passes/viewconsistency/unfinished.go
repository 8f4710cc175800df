package viewconsistency

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// An unfinished publication: a new object is entered in a container, from which others take it, and one of its fields is set in a
// later section. Who finds the object in between fails, as the field is zero.
//
//	f := new(filter)
//	s.mu.Lock(); s.filters[id] = f; s.mu.Unlock()
//	s.mu.Lock(); f.deliver = deliver; s.mu.Unlock() // WRONG: for _, f := range s.filters { f.deliver(m) }

// An unfinished is such an entry, the later write of a field, and a reader that finds the object in the container.
type unfinished struct {
	d            *detector
	entry, write *summary.Event
	made         *ssa.Alloc
	reader       *summary.Func
	read         *summary.Event
}

// String describes the candidate for -why.
func (c *unfinished) String() string {
	return fmt.Sprintf("unfinished publication: %s is entered at line %d before %s is set at line %d, which %s needs (%s)",
		c.d.f.NameOf(c.entry), c.d.line(c.entry.Pos.Pos), c.d.f.NameOf(c.write), c.d.line(c.write.Pos.Pos), summary.Name(c.reader.Fn), c.read.Pos.Text)
}

// Positions returns those of the write, of the entry and of the function.
func (c *unfinished) Positions() []token.Pos {
	return []token.Pos{c.write.Pos.Pos, c.entry.Pos.Pos, c.d.f.Fn.Pos()}
}

// unfinishedObjects reports the fields of new objects that are set too late, each once.
func (d *detector) unfinishedObjects(rules rule.Set[*unfinished]) []finding.Finding {
	var out []finding.Finding
	for _, w := range d.f.Events {
		made := d.completes(w)
		if made == nil {
			continue
		}
		for _, p := range d.f.Events {
			if !publishes(p, made) || !d.f.Order().Exists(summary.Way{From: p.Instr, To: w.Instr, Avoid: made, Forward: true}) {
				continue
			}
			if c := d.failingReader(p, w, made, rules); c != nil {
				out = append(out, c.finding(rules.Doubts(d.judge, c)))
				break
			}
		}
	}
	return out
}

// completes returns the new object of the function of which a write sets a field, under a lock, or nil.
func (d *detector) completes(w *summary.Event) *ssa.Alloc {
	if !w.Writes() || w.Key != "" || len(w.Holds) == 0 || !w.Base.IsFresh() || w.Base != w.Base.Root() {
		return nil
	}
	made, _ := d.f.Res.Definition(w.Base).(*ssa.Alloc)
	return made
}

// publishes reports whether a write puts an object into a container that others have.
func publishes(p *summary.Event, made *ssa.Alloc) bool {
	values := slices.Clone(p.Inputs)
	for _, v := range p.Inputs {
		if call, ok := v.(*ssa.Call); ok {
			values = append(values, ssautil.Appended(call))
		}
	}
	return p.Writes() && len(p.Holds) > 0 && p.Op&summary.Delete == 0 && !p.Base.IsFresh() &&
		slices.ContainsFunc(values, func(v ssa.Value) bool { return ssautil.Unboxed(v) == made })
}

// failingReader returns the first reader that finds the object and fails, or nil.
func (d *detector) failingReader(entry, write *summary.Event, made *ssa.Alloc, rules rule.Set[*unfinished]) *unfinished {
	for _, g := range d.pkg.Funcs {
		for _, r := range d.loadsFound(g, write.Loc, entry.Loc) {
			if c := (&unfinished{d, entry, write, made, g, r}); rule.Accept(d.judge, rules, c) {
				return c
			}
		}
	}
	return nil
}

// loadsFound returns the loads of a field, under a lock, of objects that a function finds when it goes through a container. They are no
// accesses of its summary: a field that is only written by the maker of the object counts as constant. Who looks for one object asks
// whether it is there, see earlySignal.
func (d *detector) loadsFound(g *summary.Func, field, container accesspath.Location) []*summary.Event {
	var out []*summary.Event
	g.VisitHeld(func(instr ssa.Instruction, locks []lockset.Guard) {
		load, ok := instr.(*ssa.UnOp)
		if !ok || len(locks) == 0 {
			return
		}
		addr, ok := load.X.(*ssa.FieldAddr)
		if !ok || accesspath.LocationOf(addr) != field {
			return
		}
		ref := g.Resolver().Resolve(addr)
		if !g.FoundIn(ref.Base, container) || !isOfEach(g, ref.Base) {
			return
		}
		r := &summary.Event{Instr: load, Op: summary.Read, Ref: ref, Values: []ssa.Value{load}, Pos: d.pkg.Views().Pos(ssautil.Pos(load))}
		for _, l := range locks {
			r.Holds = append(r.Holds, summary.Hold{Guard: l})
		}
		out = append(out, r)
	})
	return out
}

// isOfEach reports whether the last key in a path is that of each element in turn.
func isOfEach(g *summary.Func, path accesspath.Path) bool {
	keys := path.Keys()
	if len(keys) == 0 {
		return false
	}
	key := keys[len(keys)-1]
	if key == accesspath.AnyKey {
		return true
	}
	switch g.Resolver().Definition(key.Path()).(type) {
	case *ssa.Next, *ssa.Phi: // of a range loop
		return true
	}
	return false
}

// needsField: the reader fails if the field is zero.
func (c *unfinished) needsField() bool { return c.reader.NeedsValue(c.read) != nil }

// setBefore: the function has set the field before it enters the object, too.
//
//	f := &filter{deliver: drop}
func (c *unfinished) setBefore() bool {
	for _, use := range ssautil.Uses(c.made) {
		field, ok := use.(*ssa.FieldAddr)
		if !ok || accesspath.LocationOf(field) != c.write.Loc {
			continue
		}
		for _, st := range ssautil.Uses(field) {
			if st, ok := st.(*ssa.Store); ok && st.Addr == field && st != c.write.Instr && c.d.f.Order().Flows(st, c.entry.Instr) {
				return true
			}
		}
	}
	return false
}

// heldUntilSet: a lock that the reader needs, where it looks for the object or reads the field, is held from the entry to the write.
func (c *unfinished) heldUntilSet() bool {
	keepsOut := func(e *summary.Event) bool { return c.d.f.KeepsOut(c.entry, c.write, c.reader, e) }
	return keepsOut(c.read) || slices.ContainsFunc(c.reader.Events, func(e *summary.Event) bool { return e.Loc == c.entry.Loc && e.Reads() && keepsOut(e) })
}

// readerAsks: the reader asks something of the object, or of the field, or waits for it, first.
//
//	for _, f := range s.filters { if f.ready { f.deliver(m) } }
func (c *unfinished) readerAsks() bool {
	use := c.reader.NeedsValue(c.read)
	if use == nil {
		return false
	}
	res := c.reader.Resolver()
	ofObject := func(v ssa.Value) bool {
		load, ok := v.(*ssa.UnOp)
		return ok && load.Op == token.MUL && res.Resolve(load.X).Base.Within(c.read.Base)
	}
	return slices.ContainsFunc(c.reader.Conditions(&summary.Event{Instr: use}), func(cond ssa.Value) bool {
		return slices.ContainsFunc(c.reader.Slice(cond), ofObject)
	}) || slices.ContainsFunc(c.reader.Fn.Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool {
			receive, ok := instr.(*ssa.UnOp)
			return ok && receive.Op == token.ARROW && ofObject(receive.X) && ssautil.Precedes(receive, use)
		})
	})
}

// runsBeside: the reader can run while the function is between the two sections.
func (c *unfinished) runsBeside() bool { return c.d.pkg.Processes().MayRunTogether(c.d.f, c.reader) }

func (c *unfinished) finding(doubts finding.Doubts) finding.Finding {
	d := c.d
	name := d.f.NameOf(c.write)
	f := finding.Finding{
		Pos:      c.write.Pos.Pos,
		Category: earlyWrite,
		Message: fmt.Sprintf("%s is set here, after the object was entered in %s at line %d, in an earlier critical section: %s (%s) may find it there in between, and fails as the field is not set",
			name, d.f.NameOf(c.entry), d.line(c.entry.Pos.Pos), summary.Name(c.reader.Fn), c.read.Pos.Text),
		Doubts: doubts,
		Group:  fmt.Sprint(d.f.Fn.Pos(), " unfinished ", c.write.Loc),
		Notes: []finding.Note{
			{Pos: c.entry.Pos.Pos, Message: "the object is entered here"},
			{Pos: c.read.Pos.Pos, Message: "the field is needed here, by " + summary.Name(c.reader.Fn)},
		},
	}
	f.Anchors = d.pkg.Anchors(summary.Split{
		Fset: d.pass.Fset, Func: d.f, Check: c.entry, Act: c.write,
		Readers: []*summary.View{{Func: summary.Name(c.reader.Fn), Pos: c.read.Pos, Fn: c.reader.ID}},
	})
	return f
}
