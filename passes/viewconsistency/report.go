package viewconsistency

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// report makes one finding of each split, however many views it takes apart: a
// section that begins a split, or ends one, is named once.
func (d *detector) report(found []split) []finding.Finding {
	slices.SortStableFunc(found, func(a, b split) int {
		return cmp.Or(
			cmp.Compare(a.second.Ord, b.second.Ord),
			cmp.Compare(b.first.Ord, a.first.Ord), // the nearest
			cmp.Compare(a.category, b.category),
			cmp.Compare(b2i(a.removed()), b2i(b.removed())), // the view that says most
		)
	})
	var out []finding.Finding
	begun, ended := make(map[*section]bool), make(map[*section]bool)
	type place struct {
		line int
		x, y accesspath.Location
		of   accesspath.Path
	}
	lines := make(map[place]bool)
	for _, s := range found {
		at := place{d.line(s.second.Pos.Pos), min(s.first.Loc, s.second.Loc), max(s.first.Loc, s.second.Loc), s.second.Base}
		if begun[s.a] || ended[s.b] || lines[at] {
			continue
		}
		lines[at] = true
		begun[s.a], ended[s.b] = true, true
		out = append(out, d.finding(s))
	}
	return out
}

func (d *detector) finding(s split) finding.Finding {
	f := finding.Finding{
		Pos:      s.second.Pos.Pos,
		Category: s.category,
		Message: fmt.Sprintf("%s at line %d and %s here are %s apart, %s, but %s together by %s; %s",
			d.f.NameOf(s.first), d.line(s.first.Pos.Pos), d.f.NameOf(s.second), verb(s.category), sections(s),
			togetherVerb(s.view.Kind), who(s.view), d.consequence(s)),
	}
	f.Doubts = d.doubts(&s)
	note := func(at token.Pos, text string) {
		f.Notes = append(f.Notes, finding.Note{Pos: at, Message: text})
	}
	note(s.first.Pos.Pos, d.f.NameOf(s.first)+" is "+verb(s.category)+" here")
	if at := d.release(&s); at.IsValid() {
		note(at, d.f.GuardName(s.a.Hold)+" is released here")
	}
	if at := d.taken(s.b); at.IsValid() {
		note(at, "the second critical section begins here")
	}
	if s.join.At != nil && s.join.At.Pos().IsValid() {
		note(s.join.At.Pos(), "the two values come together here")
	}
	note(s.view.Pos.Pos, "both are "+togetherVerb(s.view.Kind)+" together here, by "+s.view.Func)
	if fix, ok := d.merge(&s); ok {
		f.Fixes = []analysis.SuggestedFix{fix}
	}
	return f
}

func (d *detector) line(at token.Pos) int { return d.pass.Fset.Position(at).Line }

func verb(category string) string {
	if category == splitWrite {
		return "written"
	}
	return "read"
}

func togetherVerb(kind summary.ViewKind) string {
	switch kind {
	case summary.ReadView, summary.JoinedView:
		return "read"
	case summary.AccessView:
		return "used"
	}
	return "written"
}

// sections says in what the two accesses lie.
func sections(s split) string {
	if s.a.IsAtomic() && s.b.IsAtomic() {
		return "in separate atomic operations"
	}
	return "in separate critical sections"
}

// who names the function that has the view, and its lock.
func who(v *summary.View) string {
	text := v.Func
	if v.Guard != "" {
		text += " under " + v.Guard.Name()
	}
	if v.Pos.Text != "" {
		text += " (" + v.Pos.Text + ")"
	}
	return text
}

// consequence says what may come of the split.
func (d *detector) consequence(s split) string {
	if s.category == splitWrite {
		if s.view.Kind == summary.WriteView {
			return "each may overwrite a part of what the other leaves"
		}
		return "it may see the one new and the other old"
	}
	if s.join.At == nil {
		return "it may run in between"
	}
	at := ""
	if line := d.line(s.join.At.Pos()); line > 0 && s.join.Word != summary.JoinedInResult {
		at = fmt.Sprintf(" at line %d", line)
	}
	return "if it runs in between, the two do not belong together, though both reach " + s.join.Word + at
}

// release returns where the section of the first access ends next.
func (d *detector) release(s *split) token.Pos {
	if s.a.Inner {
		return token.NoPos
	}
	best := token.NoPos
	for instr := range d.f.Order().Releases(s.a.Path) {
		at := instr.Pos()
		if at.IsValid() && (!best.IsValid() || at < best) &&
			d.f.Order().Flows(s.first.Instr, instr) && d.f.Order().Flows(instr, s.second.Instr) {
			best = at
		}
	}
	return best
}

// taken returns where a section begins, if it is in one place.
func (d *detector) taken(s *section) token.Pos {
	if site := d.site(s); site != nil {
		return site.Pos()
	}
	return token.NoPos
}

// site returns the instruction that begins a section, or nil.
func (d *detector) site(s *section) ssa.Instruction {
	if s.Inner || len(s.Sites) != 1 || s.Sites[0] == lockset.Entry {
		return nil
	}
	return d.f.Instr(s.Sites[0])
}
