package finding

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// fold makes one finding of each group: who mends one of several mistakes with an object, in a
// function, has to look at the others as well. The finding that stays is the one that most
// probably does harm, and the others are related positions of it, with their messages:
//
//	store.go:41:2: check-then-act: s.items[key] was absent at line 36 …
//	store.go:47:2:   also check-then-act: s.size was checked at line 36 …
//
// The others keep their anchors. Drivers apply one fix of a diagnostic, so that their fixes become
// a part of its fix, unless the edits overlap. The findings and the result are in order of position.
func fold(findings []Finding) []Finding {
	kept := make(map[string]int) // by group, as an index into findings
	for i := range findings {
		f := &findings[i]
		if best, known := kept[f.Group]; f.Group != "" && (!known || f.compareHarm(&findings[best]) < 0) {
			kept[f.Group] = i
		}
	}
	var out []Finding
	at := make(map[string]int) // the same, as an index into out
	for i, f := range findings {
		if f.Group == "" || kept[f.Group] == i {
			at[f.Group] = len(out)
			f.Notes = slices.Clone(f.Notes)
			out = append(out, f)
		}
	}
	for i, f := range findings {
		if f.Group != "" && kept[f.Group] != i {
			to := &out[at[f.Group]]
			to.Notes = append(to.Notes, Note{Pos: f.Pos, Message: FurtherPrefix + f.Category + ": " + f.Message + f.doubt(), Anchors: f.Anchors})
			to.Fixes = join(to.Fixes, f.Fixes)
		}
	}
	return out
}

// join returns one fix that makes the changes of two, the first of each list, if they do not overlap;
// otherwise the first list.
func join(fixes, further []analysis.SuggestedFix) []analysis.SuggestedFix {
	if len(fixes) == 0 || len(further) == 0 {
		return slices.Concat(fixes, further)
	}
	a, b := fixes[0], further[0]
	for _, e := range a.TextEdits {
		if slices.ContainsFunc(b.TextEdits, func(o analysis.TextEdit) bool { return e.Pos <= o.End && o.Pos <= e.End }) {
			return fixes
		}
	}
	message := a.Message
	if !strings.Contains(message, b.Message) {
		message += ", and: " + b.Message
	}
	return []analysis.SuggestedFix{{Message: message, TextEdits: slices.Concat(a.TextEdits, b.TextEdits)}}
}

// FurtherPrefix begins the messages of the related positions that are findings of the same
// group.
const FurtherPrefix = "also "

// compareHarm orders findings by how probable it is that they do harm, the most probable
// first.
func (f *Finding) compareHarm(g *Finding) int {
	return cmp.Or(cmp.Compare(f.Doubts.weight(), g.Doubts.weight()), cmp.Compare(f.Rank, g.Rank))
}
