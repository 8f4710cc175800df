package downloader

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	errInvalidChain   = errors.New("retrieved hash chain is invalid")
	errNoFetchPending = errors.New("no fetch pending")
)

type header struct {
	Number uint64
	Hash   string
}

type balAttachment struct {
	list []byte
	size int
}

// fetchResult collects the parts of a block.
type fetchResult struct {
	Header  *header
	bodyOk  atomic.Bool
	balOk   atomic.Bool
	balList atomic.Pointer[balAttachment]
}

func (f *fetchResult) SetBodyDone() { f.bodyOk.Store(true) }
func (f *fetchResult) SetBALDone()  { f.balOk.Store(true) }
func (f *fetchResult) AllDone() bool {
	return f.bodyOk.Load()
}

func (f *fetchResult) SetBAL(list []byte) {
	f.balList.Store(&balAttachment{list: list, size: len(list)})
}

func (f *fetchResult) BALSize() int {
	if a := f.balList.Load(); a != nil {
		return a.size
	}
	return 0
}

// resultStore maintains fetchResults, tracks their download progress and
// delivers finished results.
type resultStore struct {
	lock         sync.RWMutex
	items        []*fetchResult
	resultOffset uint64
}

func newResultStore(size int) *resultStore {
	return &resultStore{items: make([]*fetchResult, size)}
}

// AddFetch adds a header for body/BAL fetching.
func (r *resultStore) AddFetch(h *header) (stale bool, err error) {
	r.lock.Lock()
	defer r.lock.Unlock()

	item, index, stale, err := r.getFetchResult(h.Number)
	if err != nil || stale {
		return stale, err
	}
	if item == nil {
		r.items[index] = &fetchResult{Header: h}
	}
	return false, nil
}

// GetDeliverySlot returns the fetchResult for the given header. If the 'stale'
// flag is true, that means the header has already been delivered 'upstream'.
func (r *resultStore) GetDeliverySlot(number uint64) (*fetchResult, bool, error) {
	r.lock.RLock()
	defer r.lock.RUnlock()

	res, _, stale, err := r.getFetchResult(number)
	return res, stale, err
}

// getFetchResult returns the fetchResult corresponding to the given item, and
// the index where the result is stored. The lock must be held.
func (r *resultStore) getFetchResult(number uint64) (item *fetchResult, index int, stale bool, err error) {
	index = int(int64(number) - int64(r.resultOffset))
	if index >= len(r.items) {
		return nil, index, false, errInvalidChain
	}
	if index < 0 {
		return nil, index, true, nil
	}
	return r.items[index], index, false, nil
}

// GetCompleted returns the next batch of completed fetchResults.
func (r *resultStore) GetCompleted(limit int) []*fetchResult {
	r.lock.Lock()
	defer r.lock.Unlock()

	n := 0
	for n < len(r.items) && n < limit && r.items[n] != nil && r.items[n].AllDone() {
		n++
	}
	results := make([]*fetchResult, n)
	copy(results, r.items[:n])

	// Delete the results from the cache and clear the tail.
	copy(r.items, r.items[n:])
	clear(r.items[len(r.items)-n:])
	r.resultOffset += uint64(n)
	return results
}

// queue represents hashes that are either need fetching or are being fetched.
type queue struct {
	lock        sync.Mutex
	resultCache *resultStore
	balTaskPool map[string]*header
	bodyPool    map[string]*header
	balBytes    atomic.Int64 // Exact bytes of access lists attached to cached results
	balWakeCh   chan bool
}

func newQueue(size int) *queue {
	return &queue{
		resultCache: newResultStore(size),
		balTaskPool: make(map[string]*header),
		bodyPool:    make(map[string]*header),
		balWakeCh:   make(chan bool, 1),
	}
}

// Schedule adds a header for the download queue.
func (q *queue) Schedule(h *header) error {
	q.lock.Lock()
	defer q.lock.Unlock()
	if stale, err := q.resultCache.AddFetch(h); err != nil || stale {
		return err
	}
	q.balTaskPool[h.Hash] = h
	q.bodyPool[h.Hash] = h
	return nil
}

// DeliverBodies injects block bodies into the results queue.
func (q *queue) DeliverBodies(hashes []string) (int, error) {
	q.lock.Lock()
	defer q.lock.Unlock()
	accepted := 0
	for _, hash := range hashes {
		h := q.bodyPool[hash]
		if h == nil {
			return accepted, errNoFetchPending
		}
		if res, stale, err := q.resultCache.GetDeliverySlot(h.Number); err == nil && !stale && res != nil {
			res.SetBodyDone()
			accepted++
		}
		delete(q.bodyPool, hash)
	}
	return accepted, nil
}

// DeliverBALs injects access lists into the results queue.
func (q *queue) DeliverBALs(hashes []string, bals [][]byte) (int, error) {
	q.lock.Lock()
	defer q.lock.Unlock()
	accepted := 0
	for i, hash := range hashes {
		h := q.balTaskPool[hash]
		if h == nil {
			return accepted, errNoFetchPending
		}
		// Attach the access list to the fetch result if the block was not yet
		// delivered upstream; late arrivals are simply dropped.
		if res, stale, err := q.resultCache.GetDeliverySlot(h.Number); err == nil && !stale && res != nil {
			res.SetBAL(bals[i])
			res.SetBALDone()
			q.balBytes.Add(int64(len(bals[i])))
			accepted++
		}
		delete(q.balTaskPool, hash)
	}
	return accepted, nil
}

// BALBytes returns the size of the attached access lists.
func (q *queue) BALBytes() int64 {
	return q.balBytes.Load()
}

// Results retrieves a batch of fetch results from the cache.
func (q *queue) Results(max int) []*fetchResult {
	results := q.resultCache.GetCompleted(max)
	for _, result := range results {
		q.balBytes.Add(-int64(result.BALSize()))
	}
	select {
	case q.balWakeCh <- true:
	default:
	}
	return results
}
