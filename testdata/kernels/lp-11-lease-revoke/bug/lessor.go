package lease

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errLeaseNotFound = errors.New("lease not found")
	errLeaseExists   = errors.New("lease already exists")
)

// LeaseID identifies a lease.
type LeaseID int64

// Disk commits a set of writes in one go.
type Disk interface {
	Commit(writes map[string][]byte) error
	Snapshot() map[string][]byte
}

type batchTx struct {
	sync.Mutex
	pending map[string][]byte // nil deletes the key
	disk    Disk
}

// UnsafePut must be called holding the lock on the tx.
func (t *batchTx) UnsafePut(key string, value []byte) { t.pending[key] = value }

// UnsafeDelete must be called holding the lock on the tx.
func (t *batchTx) UnsafeDelete(key string) { t.pending[key] = nil }

func (t *batchTx) commit() {
	if len(t.pending) == 0 {
		return
	}
	if err := t.disk.Commit(t.pending); err != nil {
		panic(err)
	}
	t.pending = make(map[string][]byte)
}

// Commit commits the pending writes.
func (t *batchTx) Commit() {
	t.Lock()
	defer t.Unlock()
	t.commit()
}

// Backend batches the writes of the member.
type Backend struct {
	tx    *batchTx
	stopc chan struct{}
	donec chan struct{}
}

// NewBackend starts the periodic commit.
func NewBackend(disk Disk, interval time.Duration) *Backend {
	b := &Backend{
		tx:    &batchTx{pending: make(map[string][]byte), disk: disk},
		stopc: make(chan struct{}),
		donec: make(chan struct{}),
	}
	go b.run(interval)
	return b
}

// BatchTx returns the present transaction.
func (b *Backend) BatchTx() *batchTx { return b.tx }

func (b *Backend) run(interval time.Duration) {
	defer close(b.donec)
	for {
		select {
		case <-time.After(interval):
		case <-b.stopc:
			b.tx.Commit()
			return
		}
		b.tx.Commit()
	}
}

// Snapshot is sent to a follower that is too far behind.
func (b *Backend) Snapshot() map[string][]byte {
	b.tx.Lock()
	defer b.tx.Unlock()
	b.tx.commit()
	return b.tx.disk.Snapshot()
}

// Close commits and stops.
func (b *Backend) Close() {
	close(b.stopc)
	<-b.donec
}

type store struct {
	mu    sync.Mutex
	b     *Backend
	txnID int64
}

// TxnBegin starts a transaction, which keeps all others out.
func (s *store) TxnBegin() int64 {
	s.mu.Lock()
	s.b.BatchTx().Lock()
	s.txnID++
	return s.txnID
}

// TxnDeleteRange deletes a key in the transaction.
func (s *store) TxnDeleteRange(txnID int64, key string) error {
	if txnID != s.txnID {
		return fmt.Errorf("txn id mismatch: %d", txnID)
	}
	s.b.BatchTx().UnsafeDelete("key/" + key)
	return nil
}

// TxnPut puts a key in the transaction.
func (s *store) TxnPut(txnID int64, key string, value []byte) error {
	if txnID != s.txnID {
		return fmt.Errorf("txn id mismatch: %d", txnID)
	}
	s.b.BatchTx().UnsafePut("key/"+key, value)
	return nil
}

// TxnEnd ends the transaction.
func (s *store) TxnEnd(txnID int64) error {
	if txnID != s.txnID {
		return fmt.Errorf("txn id mismatch: %d", txnID)
	}
	s.b.BatchTx().Unlock()
	s.mu.Unlock()
	return nil
}

// Lease is a set of keys that live as long as it does.
type Lease struct {
	ID      LeaseID
	TTL     int64
	expiry  time.Time
	itemSet map[string]struct{}
}

func (l *Lease) persistTo(b *Backend) {
	b.BatchTx().Lock()
	b.BatchTx().UnsafePut(fmt.Sprintf("lease/%d", l.ID), []byte(fmt.Sprint(l.TTL)))
	b.BatchTx().Unlock()
}

func (l *Lease) removeFrom(b *Backend) {
	b.BatchTx().Lock()
	b.BatchTx().UnsafeDelete(fmt.Sprintf("lease/%d", l.ID))
	b.BatchTx().Unlock()
}

// lessor owns the leases. Grant, Put and Revoke are only called by the goroutine
// that applies the entries of the log.
type lessor struct {
	mu       sync.Mutex
	leaseMap map[LeaseID]*Lease
	rd       *store
	b        *Backend
	expiredC chan []LeaseID
}

// NewLessor makes a lessor on the backend.
func NewLessor(b *Backend) *lessor {
	return &lessor{leaseMap: make(map[LeaseID]*Lease), rd: &store{b: b}, b: b, expiredC: make(chan []LeaseID, 1)}
}

// Grant makes a lease.
func (le *lessor) Grant(id LeaseID, ttl int64) error {
	l := &Lease{ID: id, TTL: ttl, itemSet: make(map[string]struct{})}
	l.expiry = time.Now().Add(time.Duration(ttl) * time.Second)

	le.mu.Lock()
	defer le.mu.Unlock()
	if _, ok := le.leaseMap[id]; ok {
		return errLeaseExists
	}
	le.leaseMap[id] = l
	l.persistTo(le.b)
	return nil
}

// Revoke deletes the keys of the lease and the lease itself.
func (le *lessor) Revoke(id LeaseID) error {
	le.mu.Lock()

	l := le.leaseMap[id]
	if l == nil {
		le.mu.Unlock()
		return errLeaseNotFound
	}
	// unlock before doing external work
	le.mu.Unlock()

	tid := le.rd.TxnBegin()
	for item := range l.itemSet {
		if err := le.rd.TxnDeleteRange(tid, item); err != nil {
			panic(err)
		}
	}

	if err := le.rd.TxnEnd(tid); err != nil {
		panic(err)
	}

	le.mu.Lock()
	defer le.mu.Unlock()
	delete(le.leaseMap, l.ID)
	l.removeFrom(le.b)

	return nil
}

// Put writes a key and attaches it to the lease.
func (le *lessor) Put(id LeaseID, key string, value []byte) error {
	tid := le.rd.TxnBegin()
	err := le.Attach(id, key)
	if err == nil {
		err = le.rd.TxnPut(tid, key, value)
	}
	if eerr := le.rd.TxnEnd(tid); err == nil {
		err = eerr
	}
	return err
}

// Attach ties the key to the lease.
func (le *lessor) Attach(id LeaseID, key string) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l := le.leaseMap[id]
	if l == nil {
		return errLeaseNotFound
	}
	l.itemSet[key] = struct{}{}
	return nil
}

// runLoop reports expired leases, their revocation goes through the log.
func (le *lessor) runLoop(stopc <-chan struct{}) {
	for {
		le.mu.Lock()
		var ids []LeaseID
		for id, l := range le.leaseMap {
			if time.Now().After(l.expiry) {
				ids = append(ids, id)
			}
		}
		le.mu.Unlock()
		if len(ids) > 0 {
			select {
			case le.expiredC <- ids:
			default:
				// the receiver is busy, the next round reports them again
			}
		}
		select {
		case <-time.After(500 * time.Millisecond):
		case <-stopc:
			return
		}
	}
}
