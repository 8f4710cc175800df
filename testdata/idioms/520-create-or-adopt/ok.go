// Package ok finds or makes the entry of a label set.
package ok

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

const stripes = 64

// Series is the entry of one label set.
type Series struct {
	Ref    uint64
	Labels string

	mu   sync.Mutex
	last float64
	n    int
}

// Append adds a value.
func (s *Series) Append(v float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = v
	s.n++
}

// Last returns the newest value and the number of values.
func (s *Series) Last() (float64, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, s.n
}

type stripe struct {
	mu     sync.RWMutex
	byHash map[uint64][]*Series
	byRef  map[uint64]*Series
}

// Index holds all series.
type Index struct {
	seed    maphash.Seed
	nextRef atomic.Uint64
	count   atomic.Int64
	created func(*Series)
	parts   [stripes]stripe
}

// NewIndex returns an empty index. created is called once for each series,
// after it can be found.
func NewIndex(created func(*Series)) *Index {
	x := &Index{seed: maphash.MakeSeed(), created: created}
	for i := range x.parts {
		x.parts[i].byHash = make(map[uint64][]*Series)
		x.parts[i].byRef = make(map[uint64]*Series)
	}
	return x
}

func (p *stripe) find(hash uint64, labels string) *Series {
	for _, s := range p.byHash[hash] {
		if s.Labels == labels {
			return s
		}
	}
	return nil
}

func (x *Index) get(hash uint64, labels string) *Series {
	p := &x.parts[hash%stripes]
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.find(hash, labels)
}

func (x *Index) getOrSet(hash uint64, s *Series) (*Series, bool) {
	p := &x.parts[hash%stripes]
	p.mu.Lock()
	if have := p.find(hash, s.Labels); have != nil {
		p.mu.Unlock()
		return have, false
	}
	p.byHash[hash] = append(p.byHash[hash], s)
	p.mu.Unlock()

	p = &x.parts[s.Ref%stripes]
	p.mu.Lock()
	p.byRef[s.Ref] = s
	p.mu.Unlock()
	return s, true
}

// GetOrCreate returns the series of a label set.
func (x *Index) GetOrCreate(labels string) *Series {
	hash := maphash.String(x.seed, labels)
	if s := x.get(hash, labels); s != nil {
		return s
	}
	s, fresh := x.getOrSet(hash, &Series{Ref: x.nextRef.Add(1), Labels: labels})
	if fresh {
		x.count.Add(1)
		x.created(s)
	}
	return s
}

// ByRef returns the series with a reference, or nil. A series that is being
// made may not be found yet; callers fall back to its labels.
func (x *Index) ByRef(ref uint64) *Series {
	p := &x.parts[ref%stripes]
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.byRef[ref]
}

// AppendTo adds a value by reference or, failing that, by labels.
func (x *Index) AppendTo(ref uint64, labels string, v float64) uint64 {
	s := x.ByRef(ref)
	if s == nil || s.Labels != labels {
		s = x.GetOrCreate(labels)
	}
	s.Append(v)
	return s.Ref
}

// Len returns the number of series.
func (x *Index) Len() int64 { return x.count.Load() }
