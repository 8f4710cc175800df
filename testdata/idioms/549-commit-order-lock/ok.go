// Package cells is a small store with versions. Transactions are checked for
// conflicts, get a version, and are written by one goroutine in the order of
// their versions.
package cells

import (
	"errors"
	"maps"
	"sync"
)

var (
	ErrConflict = errors.New("cells: conflict")
	ErrClosed   = errors.New("cells: closed")
)

// oracle gives out the versions.
type oracle struct {
	mu      sync.Mutex
	next    uint64            // the next version
	changed map[string]uint64 // the last version that writes a cell
}

// readVersion returns the last version that was given out.
func (o *oracle) readVersion() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.next - 1
}

// newVersion gives out a version unless a cell that was read has changed.
func (o *oracle) newVersion(t *Txn) (uint64, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for cell := range t.reads {
		if o.changed[cell] > t.version {
			return 0, false
		}
	}
	v := o.next
	o.next++
	for cell := range t.writes {
		o.changed[cell] = v
	}
	return v, true
}

type request struct {
	version uint64
	writes  map[string]string
	done    chan struct{}
}

// Store is safe for concurrent use.
type Store struct {
	oracle oracle

	// commitMu is held from when a version is given out until the writes are
	// in writeC, so that they are there in the order of the versions.
	commitMu sync.Mutex
	closed   bool // guarded by commitMu
	writeC   chan *request
	ended    chan struct{}

	mu      sync.RWMutex
	written *sync.Cond // of mu.RLocker; version has changed
	version uint64     // the last version in cells
	cells   map[string][]cell
}

type cell struct {
	version uint64
	value   string
}

// Open starts a store.
func Open() *Store {
	s := &Store{
		writeC: make(chan *request, 64),
		ended:  make(chan struct{}),
		cells:  make(map[string][]cell),
	}
	s.oracle.next = 1
	s.oracle.changed = make(map[string]uint64)
	s.written = sync.NewCond(s.mu.RLocker())
	go s.writeLoop()
	return s
}

// writeLoop puts the writes into the cells. The versions of a cell are always
// in order.
func (s *Store) writeLoop() {
	defer close(s.ended)
	for r := range s.writeC {
		s.mu.Lock()
		for name, value := range r.writes {
			s.cells[name] = append(s.cells[name], cell{r.version, value})
		}
		s.version = r.version
		s.mu.Unlock()
		s.written.Broadcast()
		close(r.done)
	}
}

// Txn is a transaction. It is used by one goroutine.
type Txn struct {
	s       *Store
	version uint64
	reads   map[string]struct{}
	writes  map[string]string
}

// Begin starts a transaction that sees all writes which were committed before.
func (s *Store) Begin() *Txn {
	t := &Txn{
		s:       s,
		version: s.oracle.readVersion(),
		reads:   make(map[string]struct{}),
		writes:  make(map[string]string),
	}
	// What has a version is in writeC, or will be, and gets written.
	s.mu.RLock()
	defer s.mu.RUnlock()
	for s.version < t.version {
		s.written.Wait()
	}
	return t
}

// Get returns the value of a cell.
func (t *Txn) Get(name string) (string, bool) {
	if v, ok := t.writes[name]; ok {
		return v, true
	}
	t.reads[name] = struct{}{}
	t.s.mu.RLock()
	defer t.s.mu.RUnlock()
	versions := t.s.cells[name]
	for i := len(versions) - 1; i >= 0; i-- {
		if versions[i].version <= t.version {
			return versions[i].value, true
		}
	}
	return "", false
}

// Set sets the value of a cell when the transaction is committed.
func (t *Txn) Set(name, value string) { t.writes[name] = value }

// send gets a version and queues the writes.
func (t *Txn) send() (*request, error) {
	t.s.commitMu.Lock()
	defer t.s.commitMu.Unlock()
	if t.s.closed {
		return nil, ErrClosed
	}
	v, ok := t.s.oracle.newVersion(t)
	if !ok {
		return nil, ErrConflict
	}
	r := &request{version: v, writes: maps.Clone(t.writes), done: make(chan struct{})}
	t.s.writeC <- r
	return r, nil
}

// Commit writes what was set. The transaction cannot be used any more.
func (t *Txn) Commit() error {
	if len(t.writes) == 0 {
		return nil
	}
	r, err := t.send()
	if err != nil {
		return err
	}
	<-r.done
	return nil
}

// Close ends the store after the commits that have a version.
func (s *Store) Close() {
	s.commitMu.Lock()
	if s.closed {
		s.commitMu.Unlock()
		return
	}
	s.closed = true
	close(s.writeC)
	s.commitMu.Unlock()
	<-s.ended
}
