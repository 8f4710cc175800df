package synctrack

import (
	"context"
	"sync"
	"sync/atomic"
)

// AsyncTracker helps propagate HasSynced in the face of multiple worker threads.
// The user has to monitor the upstream "has synced"
// and notify the tracker when that changes from false to true.
type AsyncTracker[T comparable] struct {
	// upstreamHasSynced is changed from false (initial value) to true
	// when UpstreamHasSynced is called.
	upstreamHasSynced atomic.Bool

	lock    sync.Mutex
	waiting map[T]struct{}

	// synced gets canceled once both the tracker and upstream are synced.
	// A context is convenient for this because it gives us a channel
	// and handles thread-safety.
	synced context.Context
	cancel func()
}

func NewAsyncTracker[T comparable]() *AsyncTracker[T] {
	t := &AsyncTracker[T]{}
	t.synced, t.cancel = context.WithCancel(context.Background())
	return t
}

// Start should be called prior to processing each key which is part of the
// initial list.
func (t *AsyncTracker[T]) Start(key T) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.waiting == nil {
		t.waiting = map[T]struct{}{key: {}}
	} else {
		t.waiting[key] = struct{}{}
	}
}

// Finished should be called when finished processing a key which was part of
// the initial list. Since keys are tracked individually, nothing bad happens
// if you call Finished without a corresponding call to Start.
func (t *AsyncTracker[T]) Finished(key T) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.waiting != nil {
		delete(t.waiting, key)
	}

	// Maybe synced now?
	if t.upstreamHasSynced.Load() && len(t.waiting) == 0 {
		// Mark as synced.
		t.cancel()
	}
}

// UpstreamHasSynced needs to be called at least once as soon as
// the upstream "has synced" becomes true. It tells AsyncTracker
// that the source is synced.
//
// Must be called after handing over the initial list to Start.
func (t *AsyncTracker[T]) UpstreamHasSynced() {
	// Upstream is done, but we might not be yet.
	t.upstreamHasSynced.Store(true)
	t.lock.Lock()
	defer t.lock.Unlock()
	if len(t.waiting) == 0 {
		// Mark as synced.
		t.cancel()
	}
}

// HasSynced returns true if the source is synced and every key present in the
// initial list has been processed.
func (t *AsyncTracker[T]) HasSynced() bool {
	return t.synced.Err() != nil
}

// Done returns a channel that is closed when HasSynced becomes true.
func (t *AsyncTracker[T]) Done() <-chan struct{} {
	return t.synced.Done()
}

// Run lists the keys, lets some workers process them, and returns the tracker.
func Run(list func() []string, workers int, process func(string)) *AsyncTracker[string] {
	t := NewAsyncTracker[string]()
	queue := make(chan string)
	for i := 0; i < workers; i++ {
		go func() {
			for key := range queue {
				process(key)
				t.Finished(key)
			}
		}()
	}
	go func() {
		keys := list()
		for _, key := range keys {
			t.Start(key)
		}
		go func() {
			defer close(queue)
			for _, key := range keys {
				queue <- key
			}
		}()
		t.UpstreamHasSynced()
	}()
	return t
}
