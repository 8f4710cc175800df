// Package bug is a block of samples that accepts concurrent appenders.
package bug

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Sample is one value of a series.
type Sample struct {
	Ref uint64
	T   int64
	V   float64
}

type record struct {
	names   []string
	samples []Sample
}

// journal is the log from which a block is restored.
type journal struct {
	mu   sync.Mutex
	recs []record
}

func (j *journal) log(r record) {
	j.mu.Lock()
	j.recs = append(j.recs, r)
	j.mu.Unlock()
}

type series struct {
	mu   sync.Mutex
	ref  uint64
	name string
	data []Sample
}

func (s *series) append(t int64, v float64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.data); n > 0 && s.data[n-1].T >= t {
		return false
	}
	s.data = append(s.data, Sample{s.ref, t, v})
	return true
}

type block struct {
	journal *journal
	writers atomic.Int64
	total   atomic.Uint64

	mtx    sync.RWMutex
	closed bool
	all    []*series
	byName map[string]*series
}

func newBlock(j *journal) *block {
	return &block{journal: j, byName: make(map[string]*series)}
}

// restore builds a block from a journal.
func restore(j *journal) (*block, error) {
	b := newBlock(j)
	for _, r := range j.recs {
		for _, n := range r.names {
			b.createLocked(n)
		}
		for _, s := range r.samples {
			if s.Ref >= uint64(len(b.all)) {
				return nil, fmt.Errorf("sample refers to unknown series %d", s.Ref)
			}
			b.all[s.Ref].append(s.T, s.V)
		}
	}
	return b, nil
}

func (b *block) createLocked(name string) *series {
	s := &series{ref: uint64(len(b.all)), name: name}
	b.all = append(b.all, s)
	b.byName[name] = s
	return s
}

// Close fails while there are appenders.
func (b *block) Close() error {
	if b.writers.Load() > 0 {
		return errors.New("block is busy")
	}
	b.mtx.Lock()
	b.closed = true
	b.mtx.Unlock()
	return nil
}

// Appender opens an appender; it holds the block open until Commit or Rollback.
func (b *block) Appender() (*appender, error) {
	b.writers.Add(1)
	b.mtx.RLock()
	if b.closed {
		b.mtx.RUnlock()
		b.writers.Add(-1)
		return nil, errors.New("block is closed")
	}
	return &appender{block: b, fresh: make(map[string]uint64)}, nil
}

type pending struct {
	ref  uint64
	name string
}

// inTx marks references of series that this appender is going to create.
const inTx = 1 << 63

type appender struct {
	*block
	newSeries []*pending
	fresh     map[string]uint64
	names     []string
	samples   []Sample
}

func (a *appender) Add(name string, t int64, v float64) {
	ref, ok := a.fresh[name]
	if s := a.byName[name]; s != nil {
		ref = s.ref
	} else if !ok {
		ref = uint64(len(a.newSeries)) | inTx
		a.newSeries = append(a.newSeries, &pending{name: name})
		a.fresh[name] = ref
	}
	a.samples = append(a.samples, Sample{ref, t, v})
}

func (a *appender) createSeries() {
	if len(a.newSeries) == 0 {
		return
	}
	base0 := len(a.all)

	a.mtx.RUnlock()
	a.mtx.Lock()

	base1 := len(a.all)
	for _, p := range a.newSeries {
		// We switched locks and have to look again.
		if base1 > base0 {
			if s := a.byName[p.name]; s != nil {
				p.ref = s.ref
				continue
			}
		}
		a.names = append(a.names, p.name)
		p.ref = a.createLocked(p.name).ref
	}

	a.mtx.Unlock()
	a.mtx.RLock()
}

// Commit makes the samples visible.
func (a *appender) Commit() error {
	defer a.writers.Add(-1)
	defer a.mtx.RUnlock()

	a.createSeries()

	for i := range a.samples {
		s := &a.samples[i]
		if s.Ref&inTx != 0 {
			s.Ref = a.newSeries[s.Ref&^inTx].ref
		}
	}

	a.journal.log(record{names: a.names})
	a.journal.log(record{samples: a.samples})

	for _, s := range a.samples {
		if a.all[s.Ref].append(s.T, s.V) {
			a.total.Add(1)
		}
	}
	return nil
}

// Rollback drops the samples.
func (a *appender) Rollback() {
	a.mtx.RUnlock()
	a.writers.Add(-1)
}
