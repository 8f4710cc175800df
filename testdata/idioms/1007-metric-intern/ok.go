// Package intern numbers the series of a time-series database.
package intern

import (
	"errors"
	"slices"
	"strings"
	"sync"
)

// ErrTooMany is returned when a tenant has used up its series.
var ErrTooMany = errors.New("intern: too many series")

// Label is a name and a value.
type Label struct{ Name, Value string }

// ID numbers a series.
type ID uint32

// Index assigns ids to label sets. It is shared by all ingest workers.
type Index struct {
	limit int

	mu       sync.RWMutex
	ids      map[string]ID
	series   [][]Label // by id
	postings map[Label][]ID
}

// NewIndex returns an index for at most limit series.
func NewIndex(limit int) *Index {
	return &Index{limit: limit, ids: make(map[string]ID), postings: make(map[Label][]ID)}
}

func canonical(labels []Label) ([]Label, string) {
	ls := slices.Clone(labels)
	slices.SortFunc(ls, func(a, b Label) int { return strings.Compare(a.Name, b.Name) })
	var b strings.Builder
	for _, l := range ls {
		b.WriteString(l.Name)
		b.WriteByte(0xff)
		b.WriteString(l.Value)
		b.WriteByte(0xfe)
	}
	return ls, b.String()
}

// peek reports the id of a known series, and whether a new one would fit.
func (x *Index) peek(key string) (id ID, known, room bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	id, known = x.ids[key]
	return id, known, len(x.series) < x.limit
}

// Intern returns the id of the label set and creates it if it is new.
func (x *Index) Intern(labels []Label) (ID, error) {
	ls, key := canonical(labels)
	id, known, room := x.peek(key)
	if known {
		return id, nil
	}
	if !room {
		// Series are never removed, so a full index stays full.
		return 0, ErrTooMany
	}

	x.mu.Lock()
	defer x.mu.Unlock()
	if id, ok := x.ids[key]; ok {
		return id, nil
	}
	if len(x.series) >= x.limit {
		return 0, ErrTooMany
	}
	id = ID(len(x.series))
	x.series = append(x.series, ls)
	x.ids[key] = id
	for _, l := range ls {
		x.postings[l] = append(x.postings[l], id)
	}
	return id, nil
}

// Labels returns the label set of an id. It must not be changed.
func (x *Index) Labels(id ID) ([]Label, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if int(id) >= len(x.series) {
		return nil, false
	}
	return x.series[id], true
}

// Select returns the series that have the label, in the order of their ids.
func (x *Index) Select(l Label) []ID {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return slices.Clone(x.postings[l])
}
