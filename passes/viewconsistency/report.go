package viewconsistency

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/closedworld"
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/mend"
	"github.com/atomvet/atomvet/passes/summary"
)

// report makes one finding of each split, however many views it takes apart, the most certain: a
// section that begins a split, or ends one, is named once.
func (d *detector) report(found []*candidate) []finding.Finding {
	doubts := make(map[*candidate]finding.Doubts)
	for _, c := range found {
		doubts[c] = d.rules.Doubts(d.judge, c)
	}
	slices.SortStableFunc(found, func(a, b *candidate) int {
		return cmp.Or(
			cmp.Compare(doubts[a].Confidence(), doubts[b].Confidence()),
			cmp.Compare(a.second.Ord, b.second.Ord),
			cmp.Compare(b.first.Ord, a.first.Ord),                   // the nearest
			cmp.Compare(b.category(), a.category()),                 // of x++ the write
			cmp.Compare(b2i(a.onlyRemoved()), b2i(b.onlyRemoved())), // the view that says most
		)
	})
	var out []finding.Finding
	begun, ended := make(map[*section]bool), make(map[*section]bool)
	of := make(map[any][]int) // the findings of a section, and of a place
	type place struct {
		line int
		x, y accesspath.Location
		of   accesspath.Path
	}
	lines := make(map[place]bool)
	for _, c := range found {
		at := place{d.line(c.second.Pos.Pos), min(c.first.Loc, c.second.Loc), max(c.first.Loc, c.second.Loc), c.second.Base}
		if begun[c.a] || ended[c.b] || lines[at] {
			d.judge.Note(c, "left out: another split begins or ends in the same section, or is on the same line")
			for _, key := range []any{c.a, c.b, at} {
				for _, i := range of[key] {
					d.restsToo(&out[i], c)
				}
			}
			continue
		}
		for _, key := range []any{c.a, c.b, at} {
			of[key] = append(of[key], len(out))
		}
		lines[at] = true
		begun[c.a], ended[c.b] = true, true
		out = append(out, d.finding(c, doubts[c]))
	}
	return out
}

// restsToo adds to a finding what a split rests on that is left out because of it: if the one is
// refuted, the other may stay.
func (d *detector) restsToo(f *finding.Finding, c *candidate) {
	if f.Anchors != nil && len(f.Anchors.Rests) > 0 {
		f.Anchors.Rests = closedworld.Both(f.Anchors.Rests, d.pkg.Anchors(d.split(c)).Rests)
	}
}

func (d *detector) finding(c *candidate, doubts finding.Doubts) finding.Finding {
	verb, together := verb(c.category()), c.relation.together()
	f := finding.Finding{
		Pos:      c.second.Pos.Pos,
		Category: c.category(),
		Message:  d.message(c),
		Doubts:   doubts,
		Group:    d.group(c),
	}
	note := func(at token.Pos, text string) {
		f.Notes = append(f.Notes, finding.Note{Pos: at, Message: text})
	}
	note(c.first.Pos.Pos, d.f.NameOf(c.first)+" is "+verb+" here")
	if at := d.release(c); at.IsValid() {
		note(at, d.f.GuardName(c.a.Hold)+" is released here")
	}
	if at := d.taken(c.b); at.IsValid() {
		note(at, "the second critical section begins here")
	}
	if join := c.join(); join.At != nil && join.At.Pos().IsValid() {
		what := "the two values come together here"
		if c.selects() {
			what = d.f.NameOf(c.second) + " is relied upon here"
		}
		note(join.At.Pos(), what)
	}
	what := "both are " + together + " together here, by " + c.view.Func
	switch c.relation {
	case readsOfOne:
		what = d.f.NameOf(c.first) + " is changed here, by " + c.view.Func
	case readsOfReplaced:
		what = d.f.NameOf(c.first) + " is replaced here, by " + c.view.Func
	}
	note(c.view.Pos.Pos, what)
	if !c.a.Inner && c.a.Path == c.b.Path {
		f.Fixes = mend.Sections(d.pass, c.first.Pos.Pos, d.release(c), c.second.Pos.Pos, false)
	}
	c.confirm(&f)
	f.Anchors = d.pkg.Anchors(d.split(c))
	return f
}

func (d *detector) message(c *candidate) string {
	name, line := d.f.NameOf(c.first), d.line(c.first.Pos.Pos)
	if c.relation == readsOfReplaced {
		return fmt.Sprintf("%s%s at line %d and %s%s here are taken from two reads of %s, %s, but it may be replaced in between by %s; %s",
			name, d.partsOf(c.first)[0], line, name, d.partsOf(c.second)[0], name, sections(c), who(c.view), d.consequence(c))
	}
	if c.relation == readsOfOne {
		harm := "what was begun by the first answer is continued by this one"
		if d.twoSides(c.first, c.second) {
			harm = "both answers become parts of one object"
		}
		return fmt.Sprintf("%s is read here a second time after line %d, %s, and %s, but it may be changed in between by %s",
			name, line, sections(c), harm, who(c.view))
	}
	return fmt.Sprintf("%s at line %d and %s here are %s apart, %s, but %s together by %s; %s",
		name, line, d.f.NameOf(c.second), verb(c.category()), sections(c), c.relation.together(), who(c.view), d.consequence(c))
}

// split returns what the anchors follow from. A split write is disturbed by a reader, unless
// the other code writes both variables, too.
func (d *detector) split(c *candidate) summary.Split {
	s := summary.Split{Fset: d.pass.Fset, Func: d.f, Check: c.first, Act: c.second, Release: d.release(c), Complete: true}
	if c.category() == splitWrite && c.relation != writesOfWritten {
		s.Readers = []*summary.View{c.view}
		return s
	}
	s.Writers = []summary.Writer{{Func: c.view.Func, Pos: c.view.Pos, Fn: c.view.Fn}}
	return s
}

// group returns the group of the findings about one guard in a declaration. The plain
// definitions of the papers count each split.
func (d *detector) group(c *candidate) string {
	if !readWrite || !correlation {
		return ""
	}
	fn := d.f.Fn
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fmt.Sprint(fn.Pos(), " ", d.f.GuardName(c.a.Hold))
}

func verb(category string) string {
	if category == splitWrite {
		return "written"
	}
	return "read"
}

// sections says in what the two accesses lie.
func sections(c *candidate) string {
	if c.a.IsAtomic() && c.b.IsAtomic() {
		return "in separate atomic operations"
	}
	return "in separate critical sections"
}

// consequence says what may come of the split.
func (d *detector) consequence(c *candidate) string {
	join := c.join()
	switch {
	case c.relation == writesOfWritten:
		return "each may overwrite a part of what the other leaves"
	case c.relation == writesOfJoined && c.toggles():
		return fmt.Sprintf("if %s is switched again in between, what others write by it is overwritten", d.f.NameOf(c.first))
	case c.category() == splitWrite:
		return "it may see the one new and the other old"
	case join.At == nil:
		return "it may run in between"
	case c.relation == readsOfPublished:
		return "the one decides that the other is read, which may not be written by then, or be gone"
	case join.Word == waitWord:
		return fmt.Sprintf("if it runs in between, the wait at line %d misses the change", d.line(join.At.Pos()))
	case c.selects():
		return "the one decides that the other is read, and that may belong to a later change"
	}
	at := ""
	if line := d.line(join.At.Pos()); line > 0 && join.Word != summary.JoinedInResult {
		at = fmt.Sprintf(" at line %d", line)
	}
	return "if it runs in between, the two do not belong together, though both reach " + join.Word + at
}

// release returns where the section of the first access ends next.
func (d *detector) release(c *candidate) token.Pos {
	if c.a.Inner {
		return token.NoPos
	}
	order := d.f.Order()
	release := order.FirstRelease(c.a.Path, func(instr ssa.Instruction) bool {
		return order.Flows(c.first.Instr, instr) && order.Flows(instr, c.second.Instr)
	})
	if release == nil {
		return token.NoPos
	}
	return release.Pos()
}

// taken returns where a section begins, if it is in one place.
func (d *detector) taken(s *section) token.Pos {
	if site := d.site(s); site != nil {
		return site.Pos()
	}
	return token.NoPos
}
