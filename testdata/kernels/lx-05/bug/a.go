package bug

import (
	"errors"
	"sync"
)

var errClosed = errors.New("backend: closed")

// BatchTx is the write transaction of one backend.
type BatchTx struct {
	sync.Mutex
	buckets map[string]string
	closed  bool
}

type Backend struct {
	tx *BatchTx
}

func OpenBackend(content map[string]string) *Backend {
	if content == nil {
		content = make(map[string]string)
	}
	return &Backend{tx: &BatchTx{buckets: content}}
}

func (b *Backend) BatchTx() *BatchTx { return b.tx }

func (b *Backend) Close() {
	b.tx.Lock()
	defer b.tx.Unlock()
	b.tx.closed = true
	b.tx.buckets = nil
}

// unsafeDetectSchemaVersion must be called with tx locked.
func unsafeDetectSchemaVersion(tx *BatchTx) (string, error) {
	if tx.closed {
		return "", errClosed
	}
	return tx.buckets["storageVersion"], nil
}

// unsafeMigrate must be called with tx locked.
func unsafeMigrate(tx *BatchTx, target string) error {
	if tx.closed {
		return errClosed
	}
	tx.buckets["storageVersion"] = target
	return nil
}

type EtcdServer struct {
	bemu sync.RWMutex
	be   *Backend

	applyc chan map[string]string
	target chan string
	stopc  chan struct{}
}

func NewServer() *EtcdServer {
	s := &EtcdServer{
		be:     OpenBackend(nil),
		applyc: make(chan map[string]string),
		target: make(chan string),
		stopc:  make(chan struct{}),
	}
	go s.run()
	go s.monitorVersions()
	return s
}

func (s *EtcdServer) Backend() *Backend {
	s.bemu.RLock()
	defer s.bemu.RUnlock()
	return s.be
}

// applySnapshot replaces the backend by the one that came with a snapshot.
func (s *EtcdServer) applySnapshot(snap map[string]string) {
	newbe := OpenBackend(snap)

	s.bemu.Lock()
	oldbe := s.be
	go oldbe.Close()
	s.be = newbe
	s.bemu.Unlock()
}

func (s *EtcdServer) run() {
	for {
		select {
		case snap := <-s.applyc:
			s.applySnapshot(snap)
		case <-s.stopc:
			return
		}
	}
}

type serverVersionAdapter struct {
	*EtcdServer
}

func (s *serverVersionAdapter) GetStorageVersion() string {
	tx := s.Backend().BatchTx()
	tx.Lock()
	defer tx.Unlock()
	v, err := unsafeDetectSchemaVersion(tx)
	if err != nil {
		return ""
	}
	return v
}

func (s *serverVersionAdapter) UpdateStorageVersion(target string) error {
	tx := s.Backend().BatchTx()
	tx.Lock()
	defer tx.Unlock()
	return unsafeMigrate(tx, target)
}

func (s *EtcdServer) monitorVersions() {
	a := &serverVersionAdapter{s}
	for {
		select {
		case v := <-s.target:
			_ = a.UpdateStorageVersion(v)
		case <-s.stopc:
			return
		}
	}
}
