package viewconsistency

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// An unfinished publication: a new object is entered in a container, from which others take it, and one of its fields is set in a
// later section. A reader that finds the object in between panics, as the field still has its zero value.
//
//	f := new(filter)
//	s.mu.Lock(); s.filters[id] = f; s.mu.Unlock()
//	s.mu.Lock(); f.deliver = deliver; s.mu.Unlock() // WRONG: for _, f := range s.filters { f.deliver(m) }

// An unfinished is such an entry, the later write of a field, and a reader that finds the object in the container.
type unfinished struct {
	d            *detector
	entry, write *summary.Event
	made         ssa.Value // the object, in the function
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
			if !publishes(p, made) || !d.f.Order().Exists(summary.Way{From: p.Instr, To: w.Instr, Avoid: made.(ssa.Instruction), Forward: true}) {
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
func (d *detector) completes(w *summary.Event) ssa.Value {
	if !w.Writes() || w.Key != "" || len(w.Holds) == 0 || w.Base != w.Base.Root() {
		return nil
	}
	switch made := d.f.Res.Definition(w.Base).(type) {
	case *ssa.Alloc:
		return made
	case *ssa.Call:
		if isMaker(made.Call.StaticCallee()) {
			return made
		}
	}
	return nil
}

// isMaker reports whether a function returns an object that it has made.
func isMaker(fn *ssa.Function) bool {
	return fn != nil && len(fn.Blocks) > 0 && fn.Signature.Results().Len() == 1 && !slices.ContainsFunc(ssautil.Returns(fn), func(ret *ssa.Return) bool {
		_, made := ssautil.Returned(ret, 0).(*ssa.Alloc)
		return !made
	})
}

// publishes reports whether a write puts an object into a container that others have.
func publishes(p *summary.Event, made ssa.Value) bool {
	return p.Writes() && len(p.Holds) > 0 && p.Op&summary.Delete == 0 && !p.Base.IsFresh() && slices.ContainsFunc(p.Inputs, func(v ssa.Value) bool {
		call, ok := v.(*ssa.Call)
		return ssautil.Unboxed(v) == made || ok && ssautil.Appended(call) == made
	})
}

// failingReader returns the first reader that finds the object and fails, or nil.
func (d *detector) failingReader(entry, write *summary.Event, made ssa.Value, rules rule.Set[*unfinished]) *unfinished {
	for _, l := range d.loads.of(write.Loc) {
		if c := (&unfinished{d, entry, write, made, l.by, l.Event}); c.findsThere() && rule.Accept(d.judge, rules, c) {
			return c
		}
	}
	return nil
}

// findsThere reports whether the reader reaches the object by an iteration over the container. A look-up of one element by its key is a
// test for presence, which earlySignal judges.
func (c *unfinished) findsThere() bool {
	if !c.reader.FoundIn(c.read.Base, c.entry.Loc) || !isOfEach(c.reader, c.read.Base) {
		return false
	}
	here, there := c.entry.Base, c.read.Base
	for there.HasElement() {
		there = there.Parent()
	}
	there = there.Parent() // the object with the container
	return !here.IsParam() || !there.IsParam() || c.d.f.Fn.Signature.Recv() == nil || c.reader.Fn.Signature.Recv() == nil ||
		!types.Identical(c.d.f.Fn.Signature.Recv().Type(), c.reader.Fn.Signature.Recv().Type()) || slices.Equal(here.Fields(), there.Fields())
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
	switch v := g.Resolver().Definition(key.Path()).(type) {
	case *ssa.Next:
		return true
	case *ssa.Phi: // the variable of a loop
		return slices.ContainsFunc(v.Block().Preds, func(p *ssa.BasicBlock) bool { return v.Block().Dominates(p) })
	}
	return false
}

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
