// Package ok keeps the newest samples of many series.
package ok

import (
	"errors"
	"hash/fnv"
	"sync"
	"sync/atomic"
)

var errOutOfOrder = errors.New("out of order sample")

// Ref is the number of a series.
type Ref uint64

type sample struct {
	t int64
	v float64
}

type series struct {
	ref  Ref
	name string

	mu   sync.Mutex
	data []sample
}

func newSeries(ref Ref, name string) *series {
	return &series{ref: ref, name: name, data: make([]sample, 0, 16)}
}

func (s *series) append(t int64, v float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.data); n > 0 && s.data[n-1].t >= t {
		return errOutOfOrder
	}
	s.data = append(s.data, sample{t, v})
	return nil
}

const stripes = 64

type stripe struct {
	mu     sync.RWMutex
	byName map[string]*series
	byRef  map[Ref]*series
}

// striped is a table of series by name and by number.
type striped struct {
	parts [stripes]stripe
}

func (st *striped) init() {
	for i := range st.parts {
		st.parts[i].byName = make(map[string]*series)
		st.parts[i].byRef = make(map[Ref]*series)
	}
}

func hashOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

func (st *striped) named(hash uint64, name string) *series {
	p := &st.parts[hash%stripes]
	p.mu.RLock()
	s := p.byName[name]
	p.mu.RUnlock()
	return s
}

func (st *striped) numbered(ref Ref) *series {
	p := &st.parts[uint64(ref)%stripes]
	p.mu.RLock()
	s := p.byRef[ref]
	p.mu.RUnlock()
	return s
}

func (st *striped) getOrSet(hash uint64, name string, create func() *series) (*series, bool) {
	s := create()

	p := &st.parts[hash%stripes]
	p.mu.Lock()
	if prev := p.byName[name]; prev != nil {
		p.mu.Unlock()
		return prev, false
	}
	p.byName[name] = s
	p.mu.Unlock()

	p = &st.parts[uint64(s.ref)%stripes]
	p.mu.Lock()
	p.byRef[s.ref] = s
	p.mu.Unlock()
	return s, true
}

// Recent is the store.
type Recent struct {
	series  striped
	lastRef atomic.Uint64

	created atomic.Uint64
	missed  atomic.Uint64
}

// NewRecent returns an empty store.
func NewRecent() *Recent {
	r := &Recent{}
	r.series.init()
	return r
}

func (r *Recent) getOrCreate(name string) *series {
	// Just using getOrSet would be sufficient, but a new series would be built
	// for every sample, and numbers would be used up.
	hash := hashOf(name)
	if s := r.series.named(hash, name); s != nil {
		return s
	}

	// Optimistically assume that we are the first one to create the series.
	ref := Ref(r.lastRef.Add(1))
	s, created := r.series.getOrSet(hash, name, func() *series {
		return newSeries(ref, name)
	})
	if created {
		r.created.Add(1)
	}
	return s
}

// Append adds a sample. The number is that of an earlier call or zero; the
// returned number may be used for the next one.
func (r *Recent) Append(ref Ref, name string, t int64, v float64) (Ref, error) {
	var s *series
	if ref != 0 {
		if s = r.series.numbered(ref); s == nil {
			r.missed.Add(1)
		}
	}
	if s == nil {
		s = r.getOrCreate(name)
	}
	if err := s.append(t, v); err != nil {
		return 0, err
	}
	return s.ref, nil
}

// Created returns the number of series.
func (r *Recent) Created() uint64 { return r.created.Load() }
