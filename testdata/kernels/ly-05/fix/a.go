package a

import (
	"errors"
	"sync"
	"sync/atomic"
)

var ErrBlockedWrites = errors.New("writes are blocked, possibly due to DropAll")

type Entry struct {
	Key   string
	Value []byte
}

type request struct {
	Entries []*Entry
	Wg      sync.WaitGroup
}

// requestQueue passes requests to the goroutine that writes them.
type requestQueue struct {
	ch chan struct{} // tells about new requests

	mu   sync.Mutex
	reqs []*request
}

func newRequestQueue() *requestQueue {
	return &requestQueue{ch: make(chan struct{}, 1)}
}

func (q *requestQueue) push(r *request) {
	q.mu.Lock()
	q.reqs = append(q.reqs, r)
	q.mu.Unlock()
	select {
	case q.ch <- struct{}{}:
	default:
	}
}

func (q *requestQueue) pop() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	reqs := q.reqs
	q.reqs = nil
	return reqs
}

// Closer holds the two things we need to close a goroutine and wait for it to finish.
type Closer struct {
	closed  chan struct{}
	waiting sync.WaitGroup
}

func NewCloser(initial int) *Closer {
	ret := &Closer{closed: make(chan struct{})}
	ret.waiting.Add(initial)
	return ret
}

func (lc *Closer) HasBeenClosed() <-chan struct{} { return lc.closed }

func (lc *Closer) Done() { lc.waiting.Done() }

func (lc *Closer) SignalAndWait() {
	close(lc.closed)
	lc.waiting.Wait()
}

type memTable struct {
	sync.RWMutex
	m map[string][]byte
}

// DB provides the functions to interact with the database.
type DB struct {
	blockWrites atomic.Int32

	writeCh *requestQueue

	dropMu sync.Mutex // serializes DropAll calls
	writes *Closer    // guarded by dropMu

	mt memTable
}

// Open returns a new DB object.
func Open() *DB {
	db := &DB{
		writeCh: newRequestQueue(),
		writes:  NewCloser(1),
	}
	db.mt.m = map[string][]byte{}
	go db.doWrites(db.writes)
	return db
}

// Get looks for key and returns its value.
func (db *DB) Get(key string) ([]byte, bool) {
	db.mt.RLock()
	defer db.mt.RUnlock()
	v, ok := db.mt.m[key]
	return v, ok
}

func (db *DB) sendToWriteCh(entries []*Entry) (*request, error) {
	if db.blockWrites.Load() == 1 {
		return nil, ErrBlockedWrites
	}
	// We can only service one request because we need each txn to be stored in a contiguous section.
	// Txns should not interleave among other txns or rewrites.
	req := &request{Entries: entries}
	req.Wg.Add(1)
	db.writeCh.push(req) // Handled in doWrites.
	return req, nil
}

// BatchSet applies a list of Entry.
func (db *DB) BatchSet(entries []*Entry) error {
	req, err := db.sendToWriteCh(entries)
	if err != nil {
		return err
	}
	req.Wg.Wait()
	return nil
}

func (db *DB) writeRequests(reqs []*request) {
	db.mt.Lock()
	defer db.mt.Unlock()
	for _, r := range reqs {
		for _, e := range r.Entries {
			db.mt.m[e.Key] = e.Value
		}
		r.Wg.Done()
	}
}

func (db *DB) doWrites(lc *Closer) {
	defer lc.Done()
	for {
		select {
		case <-db.writeCh.ch:
			db.writeRequests(db.writeCh.pop())
		case <-lc.HasBeenClosed():
			// All the pending request are drained.
			// Don't close the writeCh, because it has be used in several places.
			db.writeRequests(db.writeCh.pop())
			return
		}
	}
}

// prepareToDrop stops the writes. The returned function resumes them.
func (db *DB) prepareToDrop() func() {
	// Stop accepting new writes.
	db.blockWrites.Store(1)

	// Make all pending writes finish.
	db.writes.SignalAndWait()
	return func() {
		db.writes = NewCloser(1)
		go db.doWrites(db.writes)

		// Resume writes.
		db.blockWrites.Store(0)
	}
}

// DropAll would drop all the data stored in the DB. Concurrent writes get
// ErrBlockedWrites.
func (db *DB) DropAll() {
	db.dropMu.Lock()
	defer db.dropMu.Unlock()
	f := db.prepareToDrop()
	defer f()

	db.mt.Lock()
	defer db.mt.Unlock()
	db.mt.m = map[string][]byte{}
}
