// Package a counts how often the segments of a text occur, so that the most
// frequent ones can be translated first.
package a

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
)

// entry belongs to one normalised segment and stays for ever.
type entry struct {
	segment string
	words   int
	seen    atomic.Int64
}

// Memory collects segments from many documents at once.
type Memory struct {
	entries sync.Map // normalised segment to *entry
}

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{}
}

// normalise folds case, blanks and punctuation.
func normalise(segment string) string {
	words := strings.FieldsFunc(strings.ToLower(segment), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r)
	})
	return strings.Join(words, " ")
}

func (m *Memory) entry(norm string) *entry {
	if v, ok := m.entries.Load(norm); ok {
		return v.(*entry)
	}
	e := &entry{segment: norm, words: strings.Count(norm, " ") + 1}
	v, _ := m.entries.LoadOrStore(norm, e)
	return v.(*entry)
}

// Add counts a segment and returns how often it was seen.
func (m *Memory) Add(segment string) int64 {
	norm := normalise(segment)
	if norm == "" {
		return 0
	}
	return m.entry(norm).seen.Add(1)
}

// Seen returns how often a segment occurred.
func (m *Memory) Seen(segment string) int64 {
	v, ok := m.entries.Load(normalise(segment))
	if !ok {
		return 0
	}
	return v.(*entry).seen.Load()
}

// Candidate is a segment that is worth a translation.
type Candidate struct {
	Segment string
	Seen    int64
	Words   int
}

// Candidates returns the segments that were seen at least n times, the most
// frequent first. The counts are taken while the list is made.
func (m *Memory) Candidates(n int64) []Candidate {
	var list []Candidate
	m.entries.Range(func(_, v any) bool {
		e := v.(*entry)
		if seen := e.seen.Load(); seen >= n {
			list = append(list, Candidate{e.segment, seen, e.words})
		}
		return true
	})
	slices.SortFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Seen, a.Seen), strings.Compare(a.Segment, b.Segment))
	})
	return list
}
