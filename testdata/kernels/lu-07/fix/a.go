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

// closeWaitGroup behaves like a sync.WaitGroup, but Add fails once CloseWait has
// been called.
type closeWaitGroup struct {
	sync.WaitGroup
	closed   bool
	closeMut sync.RWMutex
}

func (cg *closeWaitGroup) Add(i int) error {
	cg.closeMut.RLock()
	defer cg.closeMut.RUnlock()
	if cg.closed {
		return errClosed
	}
	cg.WaitGroup.Add(i)
	return nil
}

func (cg *closeWaitGroup) CloseWait() {
	cg.closeMut.Lock()
	cg.closed = true
	cg.closeMut.Unlock()
	cg.WaitGroup.Wait()
}

// releaser manages counting on top of a waitgroup.
type releaser struct {
	wg   *closeWaitGroup
	once sync.Once
}

func newReleaser(wg *closeWaitGroup) (*releaser, error) {
	if err := wg.Add(1); err != nil {
		return nil, err
	}
	return &releaser{wg: wg}, nil
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
	closeWG closeWaitGroup
}

func Open() *Backend { return &Backend{ldb: openStore()} }

func (b *Backend) newSnapshot() (*ReadTransaction, error) {
	snap, err := b.ldb.GetSnapshot()
	if err != nil {
		return nil, err
	}
	rel, err := newReleaser(&b.closeWG)
	if err != nil {
		return nil, err
	}
	return &ReadTransaction{snap: snap, rel: rel}, nil
}

func (b *Backend) NewReadTransaction() (*ReadTransaction, error) { return b.newSnapshot() }

func (b *Backend) Put(k, v string) error { return b.ldb.Put(k, v) }

// Close waits for the open transactions and closes the database.
func (b *Backend) Close() {
	b.closeWG.CloseWait()
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
