package instrument

import (
	"cmp"
	"slices"
)

// An edit puts text before and after a stretch of a file. Edits are nested as the syntax is, and
// contain no line breaks, so that all lines keep their numbers.
type edit struct {
	start, end int // offsets; equal for text that is put in one place
	pre, post  string
	level      level
}

// A level orders the edits of one stretch, the outer first.
type level int

const (
	statement level = iota // text between statements
	marker                 // of checks, acts and pauses
	access
)

// apply returns the source with the edits.
func apply(source []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b2i(a.start != a.end), b2i(b.start != b.end)),
			cmp.Compare(b.end, a.end), cmp.Compare(a.level, b.level))
	})
	type insertion struct {
		at, order int // what ends comes before what begins, the inner first
		text      string
	}
	var list []insertion
	for i, e := range edits {
		list = append(list, insertion{e.start, i + 1, e.pre}, insertion{e.end, -i - 1, e.post})
	}
	slices.SortStableFunc(list, func(a, b insertion) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order)) })
	var out []byte
	last := 0
	for _, in := range list {
		if in.text == "" {
			continue
		}
		out = append(out, source[last:in.at]...)
		out = append(out, in.text...)
		last = in.at
	}
	return append(out, source[last:]...)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
