package promql

import (
	"context"
	"sync"
	"time"
)

// ActiveQueryTracker limits the number of concurrent queries and knows which
// are running.
type ActiveQueryTracker struct {
	getNextIndex  chan int
	maxConcurrent int

	mtx   sync.Mutex
	slots []string
}

// NewActiveQueryTracker has room for maxConcurrent queries.
func NewActiveQueryTracker(maxConcurrent int) *ActiveQueryTracker {
	tracker := &ActiveQueryTracker{
		getNextIndex:  make(chan int, maxConcurrent),
		maxConcurrent: maxConcurrent,
		slots:         make([]string, maxConcurrent),
	}
	for i := range maxConcurrent {
		tracker.getNextIndex <- i
	}
	return tracker
}

// Insert waits for a free slot. The index is out of the channel until Delete,
// so that the slot belongs to the query.
func (tracker *ActiveQueryTracker) Insert(ctx context.Context, query string) (int, error) {
	select {
	case i := <-tracker.getNextIndex:
		tracker.set(i, query)
		return i, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Delete frees the slot: it is cleared first, then the index is given back.
func (tracker *ActiveQueryTracker) Delete(insertIndex int) {
	tracker.set(insertIndex, "")
	tracker.getNextIndex <- insertIndex
}

func (tracker *ActiveQueryTracker) get(i int) string {
	tracker.mtx.Lock()
	defer tracker.mtx.Unlock()
	return tracker.slots[i]
}

func (tracker *ActiveQueryTracker) set(i int, query string) {
	tracker.mtx.Lock()
	defer tracker.mtx.Unlock()
	tracker.slots[i] = query
}

// Annotate appends a note to the query of the slot; only the owner calls it.
func (tracker *ActiveQueryTracker) Annotate(i int, note string) {
	q := tracker.get(i)
	if q == "" {
		return
	}
	tracker.set(i, q+" # "+note)
}

// Queries returns what is running.
func (tracker *ActiveQueryTracker) Queries() []string {
	tracker.mtx.Lock()
	defer tracker.mtx.Unlock()
	var qs []string
	for _, q := range tracker.slots {
		if q != "" {
			qs = append(qs, q)
		}
	}
	return qs
}

// Engine runs queries.
type Engine struct {
	tracker *ActiveQueryTracker
	timeout time.Duration
	eval    func(ctx context.Context, query string) (float64, error)
}

// Exec is called by the handlers of the API.
func (ng *Engine) Exec(ctx context.Context, query string) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, ng.timeout)
	defer cancel()

	i, err := ng.tracker.Insert(ctx, query)
	if err != nil {
		return 0, err
	}
	defer ng.tracker.Delete(i)

	ng.tracker.Annotate(i, "evaluating")
	return ng.eval(ctx, query)
}
