package remote

import (
	"sync"
	"sync/atomic"
)

type pool struct {
	mtx  sync.RWMutex
	pool map[string]*entry
}

type entry struct {
	refs atomic.Int64

	s string
}

func newPool() *pool {
	return &pool{
		pool: map[string]*entry{},
	}
}

func (p *pool) intern(s string) string {
	if s == "" {
		return ""
	}

	p.mtx.RLock()
	interned, ok := p.pool[s]
	if ok {
		// Increase the reference count while we're still holding the read lock,
		// This will prevent the release() from deleting the entry while we're increasing its ref count.
		interned.refs.Add(1)
		p.mtx.RUnlock()
		return interned.s
	}
	p.mtx.RUnlock()

	p.mtx.Lock()
	defer p.mtx.Unlock()
	if interned, ok := p.pool[s]; ok {
		interned.refs.Add(1)
		return interned.s
	}

	interned = &entry{s: s}
	interned.refs.Store(1)
	p.pool[s] = interned
	return s
}

// release gives back a reference that the caller has got from intern.
func (p *pool) release(s string) {
	if s == "" {
		return
	}

	// The entry cannot go away or be replaced: the caller still has a
	// reference to it.
	p.mtx.RLock()
	interned, ok := p.pool[s]
	p.mtx.RUnlock()
	if !ok {
		return
	}

	refs := interned.refs.Add(-1)
	if refs > 0 {
		return
	}

	p.mtx.Lock()
	defer p.mtx.Unlock()
	// It may have been interned again in between, or even released again and
	// deleted by whoever did that.
	if interned.refs.Load() != 0 || p.pool[s] != interned {
		return
	}
	delete(p.pool, s)
}

// queueManager keeps the interned labels of its series.
type queueManager struct {
	interner *pool

	mtx    sync.Mutex
	series map[uint64][]string
}

// StoreSeries is called by the watcher of the log.
func (t *queueManager) StoreSeries(ref uint64, labels []string) {
	interned := make([]string, 0, len(labels))
	for _, l := range labels {
		interned = append(interned, t.interner.intern(l))
	}

	t.mtx.Lock()
	orig := t.series[ref]
	t.series[ref] = interned
	t.mtx.Unlock()

	for _, l := range orig {
		t.interner.release(l)
	}
}

// Stop releases the labels of all series.
func (t *queueManager) Stop() {
	t.mtx.Lock()
	series := t.series
	t.series = make(map[uint64][]string)
	t.mtx.Unlock()

	for _, labels := range series {
		for _, l := range labels {
			t.interner.release(l)
		}
	}
}

// newQueueManagers returns the queues of several endpoints, which share the pool.
func newQueueManagers(n int) []*queueManager {
	interner := newPool()
	var qms []*queueManager
	for range n {
		qms = append(qms, &queueManager{interner: interner, series: make(map[uint64][]string)})
	}
	return qms
}
