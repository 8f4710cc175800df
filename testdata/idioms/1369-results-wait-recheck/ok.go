package downloader

import "sync"

type fetchResult struct {
	Number uint64
	done   bool
	body   []byte
}

type resultStore struct {
	lock   sync.RWMutex
	items  []*fetchResult
	offset uint64
}

// AddFetch allocates the slot of a block.
func (r *resultStore) AddFetch(number uint64) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	i := int64(number) - int64(r.offset)
	if i < 0 || i >= int64(len(r.items)) {
		return false
	}
	if r.items[i] == nil {
		r.items[i] = &fetchResult{Number: number}
	}
	return true
}

// Fill sets the body of a block if it was not delivered yet.
func (r *resultStore) Fill(number uint64, body []byte) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	i := int64(number) - int64(r.offset)
	if i < 0 || i >= int64(len(r.items)) || r.items[i] == nil {
		return false
	}
	r.items[i].body, r.items[i].done = body, true
	return true
}

// HasCompletedItems returns true if there are processable items available.
func (r *resultStore) HasCompletedItems() bool {
	r.lock.RLock()
	defer r.lock.RUnlock()
	return len(r.items) > 0 && r.items[0] != nil && r.items[0].done
}

// GetCompleted returns the next batch of completed fetchResults.
func (r *resultStore) GetCompleted(limit int) []*fetchResult {
	r.lock.Lock()
	defer r.lock.Unlock()
	n := 0
	for n < limit && n < len(r.items) && r.items[n] != nil && r.items[n].done {
		n++
	}
	results := make([]*fetchResult, n)
	copy(results, r.items[:n])
	copy(r.items, r.items[n:])
	clear(r.items[len(r.items)-n:])
	r.offset += uint64(n)
	return results
}

type queue struct {
	resultCache *resultStore

	lock   sync.Mutex
	active *sync.Cond
	closed bool
}

func newQueue(size int) *queue {
	q := &queue{resultCache: &resultStore{items: make([]*fetchResult, size)}}
	q.active = sync.NewCond(&q.lock)
	return q
}

// Close marks the end of the sync, unblocking Results.
func (q *queue) Close() {
	q.lock.Lock()
	q.closed = true
	q.active.Signal()
	q.lock.Unlock()
}

// Schedule makes room for a block.
func (q *queue) Schedule(number uint64) bool {
	return q.resultCache.AddFetch(number)
}

// Deliver injects a body.
func (q *queue) Deliver(number uint64, body []byte) bool {
	q.lock.Lock()
	defer q.lock.Unlock()
	ok := q.resultCache.Fill(number, body)
	if ok {
		q.active.Signal()
	}
	return ok
}

// Results retrieves and permanently removes a batch of fetch results from the
// cache. The result can be empty if the queue was closed.
func (q *queue) Results(block bool) []*fetchResult {
	// Abort early if there are no items and non-blocking requested
	if !block && !q.resultCache.HasCompletedItems() {
		return nil
	}
	closed := false
	for !closed && !q.resultCache.HasCompletedItems() {
		// In order to wait on 'active', we need to obtain the lock. That may
		// take a while, if someone is delivering at the same time, so after
		// obtaining the lock, we check again if there are any results to fetch.
		q.lock.Lock()
		if q.resultCache.HasCompletedItems() || q.closed {
			q.lock.Unlock()
			break
		}
		// No items available, and not closed
		q.active.Wait()
		closed = q.closed
		q.lock.Unlock()
	}
	// Regardless if closed or not, we can still deliver whatever we have
	return q.resultCache.GetCompleted(2048)
}
