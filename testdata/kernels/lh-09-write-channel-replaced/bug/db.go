package badger

import (
	"errors"
	"sync"
	"sync/atomic"
)

const kvWriteChCapacity = 1000

var ErrBlockedWrites = errors.New("Writes are blocked, possibly due to DropAll or Close")

// Closer holds the two things we need to close a goroutine and wait for it to finish.
type Closer struct {
	closed  chan struct{}
	waiting sync.WaitGroup
}

// NewCloser constructs a new Closer, with an initial count on the WaitGroup.
func NewCloser(initial int) *Closer {
	ret := &Closer{closed: make(chan struct{})}
	ret.waiting.Add(initial)
	return ret
}

func (lc *Closer) HasBeenClosed() <-chan struct{} { return lc.closed }

// Done calls Done() on the WaitGroup.
func (lc *Closer) Done() { lc.waiting.Done() }

// SignalAndWait calls Signal(), then Wait().
func (lc *Closer) SignalAndWait() {
	close(lc.closed)
	lc.waiting.Wait()
}

// Entry provides Key, Value.
type Entry struct {
	Key   string
	Value []byte
}

type request struct {
	// Input values
	Entries []*Entry
	// Output values and wait group stuff below
	Wg  sync.WaitGroup
	Err error
}

func (req *request) Wait() error {
	req.Wg.Wait()
	return req.Err
}

type closers struct {
	writes     *Closer
	compactors *Closer
}

// Options are params for creating DB object.
type Options struct {
	ReadOnly bool
	Tables   []map[string]uint32
	Log      []*Entry
}

// DB provides the various functions required to interact with Badger.
// DB is thread-safe.
type DB struct {
	sync.RWMutex // Guards list of inmemory tables, not individual reads and writes.

	closers     closers
	mt          map[string][]byte
	opt         Options
	lc          *levelsController
	vlog        valueLog
	writeCh     chan *request
	blockWrites atomic.Int32
}

// replayFunction puts the entries of the log into the memtable.
func (db *DB) replayFunction() func(*Entry) error {
	return func(e *Entry) error {
		db.Lock()
		defer db.Unlock()
		db.mt[e.Key] = e.Value
		return nil
	}
}

// Open returns a new DB object.
func Open(opt Options) (*DB, error) {
	db := &DB{
		writeCh: make(chan *request, kvWriteChCapacity),
		mt:      make(map[string][]byte),
		opt:     opt,
	}
	db.lc = newLevelsController(db)

	// Initialize vlog struct.
	db.vlog.init(db)

	if !opt.ReadOnly {
		db.closers.compactors = NewCloser(1)
		db.lc.startCompact(db.closers.compactors)
	}

	replayCloser := NewCloser(1)
	go db.doWrites(replayCloser)

	if err := db.vlog.open(db.replayFunction()); err != nil {
		replayCloser.SignalAndWait()
		return db, err
	}
	replayCloser.SignalAndWait() // Wait for replay to be applied first.

	db.Lock()
	db.writeCh = make(chan *request, kvWriteChCapacity)
	db.Unlock()
	db.closers.writes = NewCloser(1)
	go db.doWrites(db.closers.writes)
	return db, nil
}

// Close closes a DB. It must be called once, when nothing is written any more.
func (db *DB) Close() error {
	if db.closers.compactors != nil {
		db.closers.compactors.SignalAndWait()
	}
	// Flush the stats before the writes are stopped.
	db.vlog.Close()
	db.blockWrites.Store(1)

	// Stop writes next.
	db.closers.writes.SignalAndWait()
	return nil
}

// Get returns a value of the memtable.
func (db *DB) Get(key string) ([]byte, bool) {
	db.RLock()
	defer db.RUnlock()
	v, ok := db.mt[key]
	return v, ok
}

// BatchSet applies a list of badger.Entry.
func (db *DB) BatchSet(entries []*Entry) error {
	req, err := db.sendToWriteCh(entries)
	if err != nil {
		return err
	}
	return req.Wait()
}

func (db *DB) getWriteCh() chan *request {
	db.RLock()
	defer db.RUnlock()
	return db.writeCh
}

func (db *DB) sendToWriteCh(entries []*Entry) (*request, error) {
	if db.blockWrites.Load() == 1 {
		return nil, ErrBlockedWrites
	}
	// We can only service one request because we need each txn to be stored in a contigous section.
	// Txns should not interleave among other txns or rewrites.
	req := &request{Entries: entries}
	req.Wg.Add(1)
	db.getWriteCh() <- req // Handled in doWrites.
	return req, nil
}

func (db *DB) writeRequests(reqs []*request) {
	db.Lock()
	defer db.Unlock()
	for _, req := range reqs {
		for _, e := range req.Entries {
			db.mt[e.Key] = e.Value
		}
		req.Wg.Done()
	}
}

func (db *DB) doWrites(lc *Closer) {
	defer lc.Done()
	writeCh := db.getWriteCh()

	reqs := make([]*request, 0, 10)
	for {
		select {
		case r := <-writeCh:
			reqs = append(reqs, r)
			db.writeRequests(reqs)
			reqs = reqs[:0]
		case <-lc.HasBeenClosed():
			// All the pending request are drained.
			// Don't close the writeCh, because it has be used in several places.
			for {
				select {
				case r := <-writeCh:
					reqs = append(reqs, r)
				default:
					db.writeRequests(reqs)
					return
				}
			}
		}
	}
}
