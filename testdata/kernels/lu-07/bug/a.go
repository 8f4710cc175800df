package a

import (
	"errors"
	"sync"
)

var errClosed = errors.New("database is closed")

// store is the underlying key-value store. Its files must not be used any more
// once Close has been called.
type store struct {
	mu     sync.RWMutex
	data   map[string]string
	closed bool
}

func openStore() *store { return &store{data: make(map[string]string)} }

func (s *store) GetSnapshot() (*snapshot, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	return &snapshot{s}, nil
}

func (s *store) Put(k, v string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.data[k] = v
	return nil
}

func (s *store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.data = true, nil
}

type snapshot struct{ s *store }

func (sn *snapshot) Get(k string) (string, bool) {
	sn.s.mu.RLock()
	defer sn.s.mu.RUnlock()
	v, ok := sn.s.data[k]
	return v, ok
}

// releaser manages counting on top of a waitgroup.
type releaser struct {
	wg   *sync.WaitGroup
	once sync.Once
}

func newReleaser(wg *sync.WaitGroup) *releaser {
	wg.Add(1)
	return &releaser{wg: wg}
}

func (r *releaser) Release() {
	r.once.Do(r.wg.Done)
}

type ReadTransaction struct {
	snap *snapshot
	rel  *releaser
}

func (t *ReadTransaction) Get(k string) (string, bool) { return t.snap.Get(k) }
func (t *ReadTransaction) Release()                    { t.rel.Release() }

type Backend struct {
	ldb     *store
	closeWG sync.WaitGroup
}

func Open() *Backend { return &Backend{ldb: openStore()} }

func (b *Backend) newSnapshot() (*ReadTransaction, error) {
	snap, err := b.ldb.GetSnapshot()
	if err != nil {
		return nil, err
	}
	return &ReadTransaction{snap: snap, rel: newReleaser(&b.closeWG)}, nil
}

func (b *Backend) NewReadTransaction() (*ReadTransaction, error) { return b.newSnapshot() }

func (b *Backend) Put(k, v string) error { return b.ldb.Put(k, v) }

// Close waits for the open transactions and closes the database.
func (b *Backend) Close() {
	b.closeWG.Wait()
	b.ldb.Close()
}

// Index answers lookups for one folder.
type Index struct{ db *Backend }

func (i *Index) Lookup(names []string, found func(name, value string)) error {
	t, err := i.db.NewReadTransaction()
	if err != nil {
		return err
	}
	defer t.Release()
	for _, n := range names {
		if v, ok := t.Get(n); ok {
			found(n, v)
		}
	}
	return nil
}

// Serve answers requests until the channel is closed.
func (i *Index) Serve(reqs <-chan []string, found func(name, value string)) {
	for names := range reqs {
		go i.Lookup(names, found)
	}
}
