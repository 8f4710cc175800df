package remote

import (
	"sync"
	"sync/atomic"
)

// Label is a pair of interned strings.
type Label struct{ Name, Value string }

// RefSeries is a series record of the WAL.
type RefSeries struct {
	Ref    uint64
	Labels []Label
}

// RefSample is a sample record of the WAL.
type RefSample struct {
	Ref uint64
	T   int64
	V   float64
}

type entry struct {
	s    string
	refs int64
}

type pool struct {
	mtx  sync.RWMutex
	pool map[string]*entry
}

func newPool() *pool {
	return &pool{pool: map[string]*entry{}}
}

func (p *pool) intern(s string) string {
	if s == "" {
		return ""
	}

	p.mtx.RLock()
	interned, ok := p.pool[s]
	p.mtx.RUnlock()
	if ok {
		atomic.AddInt64(&interned.refs, 1)
		return interned.s
	}
	p.mtx.Lock()
	defer p.mtx.Unlock()
	if interned, ok := p.pool[s]; ok {
		atomic.AddInt64(&interned.refs, 1)
		return interned.s
	}

	p.pool[s] = &entry{s: s, refs: 1}
	return s
}

func (p *pool) release(s string) {
	p.mtx.RLock()
	interned, ok := p.pool[s]
	p.mtx.RUnlock()

	if !ok {
		panic("released unknown string")
	}

	refs := atomic.AddInt64(&interned.refs, -1)
	if refs > 0 {
		return
	}

	p.mtx.Lock()
	defer p.mtx.Unlock()
	if atomic.LoadInt64(&interned.refs) != 0 {
		return
	}
	delete(p.pool, s)
}

// QueueManager manages a queue of samples to be sent to the Storage.
type QueueManager struct {
	interner *pool
	send     func(ref uint64, ls []Label, t int64, v float64) bool

	seriesMtx            sync.Mutex
	seriesLabels         map[uint64][]Label
	seriesSegmentIndexes map[uint64]int

	quit chan struct{}
	wg   sync.WaitGroup
}

// NewQueueManager builds a new QueueManager.
func NewQueueManager(send func(uint64, []Label, int64, float64) bool) *QueueManager {
	return &QueueManager{
		interner:             newPool(),
		send:                 send,
		seriesLabels:         make(map[uint64][]Label),
		seriesSegmentIndexes: make(map[uint64]int),
		quit:                 make(chan struct{}),
	}
}

// Start the queue manager: the records of the segments are read by one goroutine,
// the checkpoints by another.
func (t *QueueManager) Start(series <-chan []RefSeries, samples <-chan []RefSample, checkpoints <-chan int) {
	t.wg.Add(2)
	go func() {
		defer t.wg.Done()
		index := 0
		for {
			select {
			case s := <-series:
				index++
				t.StoreSeries(s, index)
			case s := <-samples:
				t.Append(s)
			case <-t.quit:
				return
			}
		}
	}()
	go func() {
		defer t.wg.Done()
		for {
			select {
			case index := <-checkpoints:
				t.SeriesReset(index)
			case <-t.quit:
				return
			}
		}
	}()
}

// Stop stops sending samples and releases the strings.
func (t *QueueManager) Stop() {
	close(t.quit)
	t.wg.Wait()

	// On shutdown, release the strings in the labels from the intern pool.
	t.seriesMtx.Lock()
	defer t.seriesMtx.Unlock()
	for _, labels := range t.seriesLabels {
		t.release(labels)
	}
}

// Append queues samples to be sent to the remote storage.
func (t *QueueManager) Append(s []RefSample) bool {
	for _, sample := range s {
		t.seriesMtx.Lock()
		ls, ok := t.seriesLabels[sample.Ref]
		t.seriesMtx.Unlock()
		if !ok {
			continue
		}
		if !t.send(sample.Ref, ls, sample.T, sample.V) {
			return false
		}
	}
	return true
}

// StoreSeries keeps track of which series we know about for lookups when sending samples to remote.
func (t *QueueManager) StoreSeries(series []RefSeries, index int) {
	// Lock before any calls to internLabels, as that's where string interning is done.
	t.seriesMtx.Lock()
	defer t.seriesMtx.Unlock()

	temp := make(map[uint64][]Label, len(series))
	for _, s := range series {
		if len(s.Labels) == 0 {
			continue
		}
		temp[s.Ref] = t.internLabels(s.Labels)
	}

	for ref, labels := range temp {
		t.seriesSegmentIndexes[ref] = index

		// We should not ever be replacing a series labels in the map, but just
		// in case we do we need to ensure we do not leak the replaced interned
		// strings.
		if orig, ok := t.seriesLabels[ref]; ok {
			t.release(orig)
		}
		t.seriesLabels[ref] = labels
	}
}

// SeriesReset is used when reading a checkpoint. Series that are in segments older
// than the checkpoint were not also present in the checkpoint.
func (t *QueueManager) SeriesReset(index int) {
	t.seriesMtx.Lock()
	defer t.seriesMtx.Unlock()

	for k, v := range t.seriesSegmentIndexes {
		if v < index {
			delete(t.seriesSegmentIndexes, k)
			t.release(t.seriesLabels[k])
			delete(t.seriesLabels, k)
		}
	}
}

func (t *QueueManager) internLabels(ls []Label) []Label {
	res := make([]Label, 0, len(ls))
	for _, l := range ls {
		res = append(res, Label{t.interner.intern(l.Name), t.interner.intern(l.Value)})
	}
	return res
}

func (t *QueueManager) release(ls []Label) {
	for _, l := range ls {
		t.interner.release(l.Name)
		t.interner.release(l.Value)
	}
}
