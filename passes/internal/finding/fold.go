package finding

import (
	"cmp"
	"slices"
)

// fold makes one finding of each group: who mends one of several mistakes with an object, in a
// function, has to look at the others as well. The finding that stays is the one that most
// probably does harm, and the others are related positions of it, with their messages:
//
//	store.go:41:2: check-then-act: s.items[key] was absent at line 36 …
//	store.go:47:2:   also check-then-act: s.size was checked at line 36 …
//
// The findings and the result are in order of position.
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
			to.Notes = append(to.Notes, Note{f.Pos, FurtherPrefix + f.Category + ": " + f.Message + f.doubt()})
		}
	}
	return out
}

// FurtherPrefix begins the messages of the related positions that are findings of the same
// group.
const FurtherPrefix = "also "

// compareHarm orders findings by how probable it is that they do harm, the most probable
// first.
func (f *Finding) compareHarm(g *Finding) int {
	return cmp.Or(cmp.Compare(f.Doubts.weight(), g.Doubts.weight()), cmp.Compare(f.Rank, g.Rank))
}
