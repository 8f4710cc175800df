package stalevalue

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

var rank = map[string]int{lostUpdate: 0, checkThenAct: 1, staleUse: 2, escape: 3}

// report makes one finding of what was found for each passage that acts.
func (d *detector) report(found []stale) {
	slices.SortStableFunc(found, func(a, b stale) int {
		return cmp.Or(
			cmp.Compare(rank[a.category], rank[b.category]),
			// The act on the location that was read says most.
			cmp.Compare(boolInt(a.read.Loc != a.act.Loc), boolInt(b.read.Loc != b.act.Loc)),
			cmp.Compare(a.act.Ord, b.act.Ord),
			// The nearest read.
			cmp.Compare(b.read.Ord, a.read.Ord),
		)
	})
	reported := make(map[string]bool)
	of := make(map[string]int) // the finding for each passage that acts
	for _, s := range found {
		key := passage(s.act)
		if reported[key] {
			if i, ok := of[key]; ok {
				d.alsoStale(&d.findings[i], s)
			}
			continue
		}
		reported[key] = true
		if s.read.Loc != s.act.Loc {
			// One stale read may be followed by acts on all that goes with
			// it: the first is enough.
			from := "from " + passage(s.read) + string(s.read.Loc)
			if reported[from] {
				continue
			}
			reported[from] = true
		}
		of[key] = len(d.findings)
		d.findings = append(d.findings, d.finding(s))
	}
}

// alsoStale adds to the finding about an act what else it acts upon that is stale by
// then, as far as that is of the same variable.
func (d *detector) alsoStale(f *finding.Finding, s stale) {
	if s.read.Loc != s.act.Loc || s.category != checkThenAct && s.category != lostUpdate {
		return
	}
	note := finding.Note{Pos: d.pos(s.read), Message: fmt.Sprintf("%s %s here, too, and may be stale by then", d.f.NameOf(s.read), d.verb(s))}
	if !slices.ContainsFunc(f.Notes, func(n finding.Note) bool { return n.Pos == note.Pos }) {
		f.Notes = append(f.Notes, note)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// passage identifies the passage that an act lies in: the outermost, as the
// person who mends one act there mends all.
func passage(e *summary.Event) string {
	for _, h := range e.Holds {
		if !h.Inner {
			return fmt.Sprint(h.Path, h.Sites)
		}
	}
	return fmt.Sprint("at ", e.Ord)
}

// finding words a finding.
func (d *detector) finding(s stale) finding.Finding {
	gone := d.gone(s)
	act, of := "this write", ""
	if s.act.Callee != nil {
		act = "this call of " + d.f.CalleeName(s.act)
		of = ", which writes it"
	}
	var consequence string
	switch {
	case !s.act.Writes() && s.act.Loc != s.read.Loc:
		consequence = fmt.Sprintf("another goroutine may remove it together with %s before that is used here unchecked", d.f.NameOf(s.act))
	case !s.act.Writes():
		consequence = "another goroutine may remove it before it is used here unchecked"
	case s.skew:
		consequence = fmt.Sprintf("another goroutine may compute it anew from %s before this write of that", d.f.NameOf(s.act))
	case s.act.Loc == s.read.Loc && s.category == lostUpdate:
		consequence = "an update by another goroutine is lost by " + act
	case s.act.Loc == s.read.Loc:
		consequence = "another goroutine may change it before " + act + of
	case s.act.Callee != nil:
		consequence = "another goroutine may change it before " + act + ", which writes " + d.f.NameOf(s.act)
	default:
		consequence = "another goroutine may change it before " + act + " of " + d.f.NameOf(s.act)
	}
	return d.finish(s, fmt.Sprintf("%s %s at line %d, but %s and %s",
		d.f.NameOf(s.read), d.verb(s), d.line(d.pos(s.read)), gone, consequence))
}

// gone says how the passage of the read ended.
func (d *detector) gone(s stale) string {
	if s.guard.IsAtomic() {
		return "the atomic operations are separate"
	}
	guard := d.f.GuardName(s.guard)
	if s.guard.Inner {
		return fmt.Sprintf("%s was released when %s returned", guard, d.f.CalleeName(s.read))
	}
	if release := d.releaseAfter(s); release.IsValid() {
		return fmt.Sprintf("%s was released at line %d", guard, d.line(release))
	}
	return guard + " was released in between"
}

// verb says what was done with the value.
func (d *detector) verb(s stale) string {
	if s.check && s.category == checkThenAct {
		return "was checked"
	}
	return "was read"
}

func (d *detector) finish(s stale, message string) finding.Finding {
	if w := s.writer; w.Pos.Pos == s.act.Pos.Pos && w.Pos.Pos.IsValid() {
		message += " (another goroutine may be doing the same)"
	} else {
		message += fmt.Sprintf(" (%s is also written by %s, %s)", s.read.Loc.Name(), w.Func, w.Pos.Text)
	}
	f := finding.Finding{Pos: d.pos(s.act), Category: s.category, Message: message, Doubts: d.doubts(&s)}
	f.Notes = append(f.Notes, finding.Note{Pos: d.pos(s.read), Message: d.f.NameOf(s.read) + " is read here"})
	if release := d.releaseAfter(s); release.IsValid() {
		f.Notes = append(f.Notes, finding.Note{Pos: release, Message: d.f.GuardName(s.guard) + " is released here"})
	}
	if take := d.taken(s.act); take.IsValid() {
		f.Notes = append(f.Notes, finding.Note{Pos: take, Message: "the later critical section begins here"})
	}
	for i := range s.info.Writers {
		if w := &s.info.Writers[i]; w.Pos.Pos.IsValid() && w.Pos.Pos != f.Pos {
			f.Notes = append(f.Notes, finding.Note{Pos: w.Pos.Pos, Message: "also written here, by " + w.Func})
		}
	}
	return f
}

// pos returns the position of an event in this package.
func (d *detector) pos(e *summary.Event) token.Pos { return e.Pos.Pos }

func (d *detector) line(pos token.Pos) int { return d.pass.Fset.Position(pos).Line }

// releaseAfter returns where the guard of the read is given up next.
func (d *detector) releaseAfter(s stale) token.Pos {
	best := token.NoPos
	if s.guard.Inner {
		return best
	}
	for instr := range d.f.Order().Releases(s.guard.Path) {
		at := instr.Pos()
		if !at.IsValid() || !d.f.Order().Flows(s.read.Instr, instr) || !d.f.Order().Flows(instr, s.act.Instr) && instr != s.act.Instr {
			continue
		}
		if !best.IsValid() || at < best {
			best = at
		}
	}
	return best
}

// taken returns where the passage of an act begins.
func (d *detector) taken(e *summary.Event) token.Pos {
	for _, h := range e.Holds {
		if h.Inner || len(h.Sites) != 1 || h.Sites[0] == lockset.Entry {
			continue
		}
		if instr := d.f.Instr(h.Sites[0]); instr != nil {
			return instr.Pos()
		}
	}
	return token.NoPos
}
