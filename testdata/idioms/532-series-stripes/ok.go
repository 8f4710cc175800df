// Package ok finds or creates series.
package ok

import (
	"sync"
	"sync/atomic"
)

const stripes = 16

// Series is one time series.
type Series struct {
	Ref    uint64
	Labels string

	mu      sync.Mutex
	samples []float64
}

// Append adds a sample.
func (s *Series) Append(v float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples = append(s.samples, v)
}

type stripe struct {
	mu     sync.RWMutex
	byHash map[uint64][]*Series
}

type refStripe struct {
	mu    sync.RWMutex
	byRef map[uint64]*Series
}

// Table is never shrunk.
type Table struct {
	hashes [stripes]stripe
	refs   [stripes]refStripe

	lastRef atomic.Uint64
	count   atomic.Int64
}

// NewTable returns an empty table.
func NewTable() *Table {
	t := &Table{}
	for i := range t.hashes {
		t.hashes[i].byHash = make(map[uint64][]*Series)
		t.refs[i].byRef = make(map[uint64]*Series)
	}
	return t
}

func find(list []*Series, labels string) *Series {
	for _, s := range list {
		if s.Labels == labels {
			return s
		}
	}
	return nil
}

// ByRef returns nil if there is no such series.
func (t *Table) ByRef(ref uint64) *Series {
	st := &t.refs[ref%stripes]
	st.mu.RLock()
	defer st.mu.RUnlock()
	return st.byRef[ref]
}

func (t *Table) byHash(hash uint64, labels string) *Series {
	st := &t.hashes[hash%stripes]
	st.mu.RLock()
	defer st.mu.RUnlock()
	return find(st.byHash[hash], labels)
}

// GetOrCreate returns the series of the labels and whether it is new. A ref
// that is not used leaves a hole.
func (t *Table) GetOrCreate(hash uint64, labels string) (*Series, bool) {
	if s := t.byHash(hash, labels); s != nil {
		return s, false
	}
	s, created := t.getOrSet(hash, &Series{Ref: t.lastRef.Add(1), Labels: labels})
	if !created {
		return s, false
	}
	t.count.Add(1)
	return s, true
}

func (t *Table) getOrSet(hash uint64, s *Series) (*Series, bool) {
	st := &t.hashes[hash%stripes]
	st.mu.Lock()
	if prev := find(st.byHash[hash], s.Labels); prev != nil {
		st.mu.Unlock()
		return prev, false
	}
	st.byHash[hash] = append(st.byHash[hash], s)
	st.mu.Unlock()

	rs := &t.refs[s.Ref%stripes]
	rs.mu.Lock()
	rs.byRef[s.Ref] = s
	rs.mu.Unlock()
	return s, true
}

// Add appends a sample. A ref that is not known yet falls back to the labels.
func (t *Table) Add(ref, hash uint64, labels string, v float64) uint64 {
	s := t.ByRef(ref)
	if s == nil || s.Labels != labels {
		s, _ = t.GetOrCreate(hash, labels)
	}
	s.Append(v)
	return s.Ref
}

// Count returns the number of series.
func (t *Table) Count() int64 { return t.count.Load() }
