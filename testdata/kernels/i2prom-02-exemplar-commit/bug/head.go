// Package bug is the in-memory part of a time series database with exemplars.
package bug

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Errors of exemplars.
var (
	ErrOutOfOrder = errors.New("exemplar: out of order")
	ErrDuplicate  = errors.New("exemplar: duplicate")
)

// Exemplar is an example of an event that a sample counts.
type Exemplar struct {
	TraceID string
	T       int64
}

// series is an entry of the head. Its labels do not change.
type series struct {
	ref     uint64
	labels  string
	lastUse atomic.Int64
}

const stripes = 8

type stripe struct {
	mu    sync.RWMutex
	byRef map[uint64]*series
}

// table finds series by their references.
type table [stripes]stripe

func (t *table) get(ref uint64) *series {
	st := &t[ref%stripes]
	st.mu.RLock()
	defer st.mu.RUnlock()
	return st.byRef[ref]
}

func (t *table) put(s *series) {
	st := &t[s.ref%stripes]
	st.mu.Lock()
	defer st.mu.Unlock()
	st.byRef[s.ref] = s
}

// gc removes the series that have not been used since mint.
func (t *table) gc(mint int64) (removed int) {
	for i := range t {
		st := &t[i]
		st.mu.Lock()
		for ref, s := range st.byRef {
			if s.lastUse.Load() < mint {
				delete(st.byRef, ref)
				removed++
			}
		}
		st.mu.Unlock()
	}
	return removed
}

// exemplarStore keeps the exemplars of all series.
type exemplarStore struct {
	mu       sync.RWMutex
	bySeries map[string][]Exemplar
}

func (es *exemplarStore) validateLocked(labels string, e Exemplar) error {
	list := es.bySeries[labels]
	if len(list) == 0 {
		return nil
	}
	newest := list[len(list)-1]
	if newest == e {
		return ErrDuplicate
	}
	if e.T < newest.T {
		return ErrOutOfOrder
	}
	return nil
}

// validate tells if the exemplar could be added now.
func (es *exemplarStore) validate(labels string, e Exemplar) error {
	es.mu.RLock()
	defer es.mu.RUnlock()
	return es.validateLocked(labels, e)
}

func (es *exemplarStore) add(labels string, e Exemplar) error {
	es.mu.Lock()
	defer es.mu.Unlock()
	if err := es.validateLocked(labels, e); err != nil {
		return err
	}
	es.bySeries[labels] = append(es.bySeries[labels], e)
	return nil
}

// Head is safe for concurrent use.
type Head struct {
	series    table
	lastRef   atomic.Uint64
	exemplars exemplarStore
}

// NewHead returns an empty head.
func NewHead() *Head {
	h := &Head{exemplars: exemplarStore{bySeries: make(map[string][]Exemplar)}}
	for i := range h.series {
		h.series[i].byRef = make(map[uint64]*series)
	}
	return h
}

// Create adds a series at time t.
func (h *Head) Create(labels string, t int64) uint64 {
	s := &series{ref: h.lastRef.Add(1), labels: labels}
	s.lastUse.Store(t)
	h.series.put(s)
	return s.ref
}

// Truncate is called by the compactor, at any time.
func (h *Head) Truncate(mint int64) int { return h.series.gc(mint) }

type refExemplar struct {
	ref uint64
	e   Exemplar
}

// Appender collects exemplars. It is used by one goroutine.
type Appender struct {
	head      *Head
	exemplars []refExemplar
}

// Appender returns an empty appender.
func (h *Head) Appender() *Appender { return &Appender{head: h} }

// AppendExemplar adds an exemplar of the series ref, which must exist.
func (a *Appender) AppendExemplar(ref uint64, e Exemplar) error {
	s := a.head.series.get(ref)
	if s == nil {
		return fmt.Errorf("exemplar: unknown series %d", ref)
	}
	if err := a.head.exemplars.validate(s.labels, e); err != nil {
		if err == ErrDuplicate {
			return nil
		}
		return err
	}
	a.exemplars = append(a.exemplars, refExemplar{ref, e})
	return nil
}

// Commit stores the exemplars.
func (a *Appender) Commit() error {
	for _, x := range a.exemplars {
		s := a.head.series.get(x.ref)
		err := a.head.exemplars.add(s.labels, x.e)
		if err != nil && err != ErrOutOfOrder && err != ErrDuplicate {
			return err
		}
	}
	a.exemplars = a.exemplars[:0]
	return nil
}
