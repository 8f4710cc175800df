package stalevalue

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atomvet/atomvet/passes/closedworld"
	"github.com/atomvet/atomvet/passes/internal/anchor"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/summary"
)

var rank = map[string]int{lostUpdate: 0, checkThenAct: 1, staleUse: 2}

// report makes one finding of what was found for each section that acts: the most certain.
func (d *detector) report(found []*candidate) {
	doubts := make(map[*candidate]finding.Doubts)
	for _, c := range found {
		doubts[c] = staleRules.Doubts(d.judge, c)
	}
	slices.SortStableFunc(found, func(a, b *candidate) int {
		return cmp.Or(
			cmp.Compare(doubts[a].Confidence(), doubts[b].Confidence()),
			cmp.Compare(rank[a.category()], rank[b.category()]),
			// The act on the location that was read says most.
			cmp.Compare(boolInt(a.read.Loc != a.act.Loc), boolInt(b.read.Loc != b.act.Loc)),
			cmp.Compare(a.act.Ord, b.act.Ord),
			// The nearest read.
			cmp.Compare(b.read.Ord, a.read.Ord),
		)
	})
	reported := make(map[string]bool)
	of := make(map[string]int)   // the finding for each section that acts
	tied := make(map[string]int) // the finding by which another one is left out
	for _, c := range found {
		key := sectionOf(c.act)
		if reported[key] {
			d.judge.Note(c, "left out: there is a finding about the section of the act")
			if i, ok := of[key]; ok {
				d.alsoStale(&d.findings[i], c)
			}
			d.restsToo(&d.findings[tied[key]], c)
			continue
		}
		reported[key] = true
		if c.read.Loc != c.act.Loc {
			// One stale read may be followed by acts on all that goes with
			// it: the first is enough.
			from := "from " + sectionOf(c.read) + string(c.read.Loc)
			if reported[from] {
				d.judge.Note(c, "left out: there is a finding about another act by this read")
				tied[key] = tied[from]
				d.restsToo(&d.findings[tied[key]], c)
				continue
			}
			reported[from], tied[from] = true, len(d.findings)
		}
		of[key], tied[key] = len(d.findings), len(d.findings)
		d.findings = append(d.findings, d.finding(c, doubts[c]))
	}
}

// restsToo adds to a finding what a candidate rests on that is left out because of it: if the one
// is refuted, the other may stay.
func (d *detector) restsToo(f *finding.Finding, c *candidate) {
	if f.Anchors != nil && len(f.Anchors.Rests) > 0 {
		f.Anchors.Rests = closedworld.Both(f.Anchors.Rests, d.anchors(c).Rests)
	}
}

// alsoStale adds to the finding about an act what else it acts upon that is stale by
// then, as far as that is of the same variable.
func (d *detector) alsoStale(f *finding.Finding, c *candidate) {
	if c.read.Loc != c.act.Loc || c.category() == staleUse {
		return
	}
	note := finding.Note{Pos: d.pos(c.read), Message: fmt.Sprintf("%s %s here, too, and may be stale by then", d.f.NameOf(c.read), c.verb())}
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

// sectionOf identifies the section that an access lies in: the outermost, as to
// mend one act there mends all.
func sectionOf(e *summary.Event) string {
	for _, h := range e.Holds {
		if !h.Inner {
			return fmt.Sprint(h.Path, h.Sites)
		}
	}
	return fmt.Sprint("at ", e.Ord)
}

// finding words a finding.
func (d *detector) finding(c *candidate, doubts finding.Doubts) finding.Finding {
	f := finding.Finding{
		Pos:      d.pos(c.act),
		Category: c.category(),
		Message: fmt.Sprintf("%s %s at line %d, but %s and %s (%s)",
			d.f.NameOf(c.read), c.verb(), d.line(d.pos(c.read)), c.gone(), c.consequence(), c.danger()),
		Doubts: doubts,
		Fixes:  c.fixes(),
		Group:  d.group(d.f.GuardName(c.guard)),
		Rank:   2*rank[c.category()] + boolInt(c.read.Loc != c.act.Loc),
		Notes:  []finding.Note{{Pos: d.pos(c.read), Message: d.f.NameOf(c.read) + " is read here"}},
	}
	if release := d.releaseAfter(c.read, c.act, c.guard); release.IsValid() && c.link != doubleStart {
		f.Notes = append(f.Notes, finding.Note{Pos: release, Message: d.f.GuardName(c.guard) + " is released here"})
	}
	if take := d.taken(c.act); take.IsValid() && c.link != doubleStart {
		f.Notes = append(f.Notes, finding.Note{Pos: take, Message: "the later critical section begins here"})
	}
	for i := range min(len(c.info.Writers), limit.NotedWriters) {
		if w := &c.info.Writers[i]; w.Pos.Pos.IsValid() && w.Pos.Pos != f.Pos {
			f.Notes = append(f.Notes, finding.Note{Pos: w.Pos.Pos, Message: "also written here, by " + w.Func})
		}
	}
	c.confirm(&f)
	f.Anchors = d.anchors(c)
	return f
}

// anchors returns the places of a finding for programs, if the driver asks for them.
func (d *detector) anchors(c *candidate) *anchor.Anchors {
	if !summary.Anchored() {
		return nil // the writers of a variable need not be asked once more
	}
	s := summary.Split{Fset: d.pass.Fset, Func: d.f, Check: c.read, Act: c.act, Release: d.releaseAfter(c.read, c.act, c.guard)}
	// The other links have one rival, chosen from several.
	s.Complete = c.link != writeSkew && !c.link.ends()
	for r := range c.rivals() {
		if r.runs() {
			s.Writers = append(s.Writers, *r.writer)
		}
	}
	return d.pkg.Anchors(s)
}

// gone says how the section of the read ended.
func (c *candidate) gone() string {
	if c.link == doubleStart && c.claimedByStarted() {
		return "it is only set by the goroutine that is started here"
	}
	if c.guard.IsAtomic() {
		return "the atomic operations are separate"
	}
	guard := c.d.f.GuardName(c.guard)
	if c.guard.Inner {
		return fmt.Sprintf("%s was released when %s returned", guard, c.d.f.CalleeName(c.read))
	}
	if release := c.d.releaseAfter(c.read, c.act, c.guard); release.IsValid() {
		return fmt.Sprintf("%s was released at line %d", guard, c.d.line(release))
	}
	return guard + " was released in between"
}

// verb says what was done with the value.
func (c *candidate) verb() string {
	switch {
	case c.link.seen != "":
		return "was " + c.link.seen
	case c.category() == checkThenAct:
		return "was checked"
	}
	return "was read"
}
