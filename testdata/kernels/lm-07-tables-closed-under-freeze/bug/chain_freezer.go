package rawdb

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

const (
	freezerRecheckInterval = time.Minute
	freezerBatchLimit      = 30000
)

var errClosed = errors.New("closed")

type KeyValueStore interface {
	Head() uint64
	Has(number uint64) bool
	Read(kind string, number uint64) ([]byte, error)
	Delete(number uint64) error
}

type freezerTable struct {
	items uint64

	lock sync.RWMutex
	head []byte
	open bool
}

func (t *freezerTable) Append(item uint64, blob []byte) error {
	t.lock.Lock()
	defer t.lock.Unlock()
	if !t.open {
		return errClosed
	}
	t.head = append(t.head, blob...)
	t.items = item + 1
	return nil
}

func (t *freezerTable) truncateHead(items uint64) error {
	t.lock.Lock()
	defer t.lock.Unlock()
	if !t.open {
		return errClosed
	}
	t.items = items
	return nil
}

func (t *freezerTable) Sync() error {
	t.lock.Lock()
	defer t.lock.Unlock()
	if !t.open {
		return errClosed
	}
	return nil
}

func (t *freezerTable) Close() error {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.open = false
	t.head = nil
	return nil
}

type Freezer struct {
	frozen uint64 // Number of blocks already frozen, accessed atomically

	writeLock sync.RWMutex
	tables    map[string]*freezerTable
	closeOnce sync.Once
}

func NewFreezer(tables []string) *Freezer {
	f := &Freezer{tables: make(map[string]*freezerTable)}
	for _, name := range tables {
		f.tables[name] = &freezerTable{open: true}
	}
	return f
}

func (f *Freezer) Close() error {
	f.writeLock.Lock()
	defer f.writeLock.Unlock()

	var errs []error
	f.closeOnce.Do(func() {
		for _, table := range f.tables {
			if err := table.Close(); err != nil {
				errs = append(errs, err)
			}
		}
	})
	return errors.Join(errs...)
}

func (f *Freezer) Ancients() uint64 { return atomic.LoadUint64(&f.frozen) }

func (f *Freezer) ModifyAncients(fn func(put func(kind string, item uint64, blob []byte) error) (uint64, error)) (err error) {
	f.writeLock.Lock()
	defer f.writeLock.Unlock()

	prevItem := atomic.LoadUint64(&f.frozen)
	defer func() {
		if err != nil {
			for name, table := range f.tables {
				if err := table.truncateHead(prevItem); err != nil {
					log.Printf("Freezer table roll-back failed table=%s index=%d err=%v", name, prevItem, err)
				}
			}
		}
	}()
	item, err := fn(func(kind string, item uint64, blob []byte) error {
		return f.tables[kind].Append(item, blob)
	})
	if err != nil {
		return err
	}
	atomic.StoreUint64(&f.frozen, item)
	return nil
}

func (f *Freezer) Sync() error {
	f.writeLock.RLock()
	defer f.writeLock.RUnlock()
	var errs []error
	for _, table := range f.tables {
		if err := table.Sync(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

type chainFreezer struct {
	threshold uint64 // Number of recent blocks not to freeze

	*Freezer
	quit    chan struct{}
	wg      sync.WaitGroup
	trigger chan chan struct{} // Manual blocking freeze trigger, test determinism
}

func newChainFreezer(threshold uint64) *chainFreezer {
	return &chainFreezer{
		Freezer:   NewFreezer([]string{"headers", "bodies", "receipts"}),
		threshold: threshold,
		quit:      make(chan struct{}),
		trigger:   make(chan chan struct{}),
	}
}

func NewDatabaseWithFreezer(db KeyValueStore, threshold uint64) *chainFreezer {
	f := newChainFreezer(threshold)
	f.wg.Add(1)
	go func() {
		f.freeze(db)
		f.wg.Done()
	}()
	return f
}

func (f *chainFreezer) Close() error {
	err := f.Freezer.Close()
	select {
	case <-f.quit:
	default:
		close(f.quit)
	}
	f.wg.Wait()
	return err
}

func (f *chainFreezer) freeze(db KeyValueStore) {
	var (
		backoff   bool
		triggered chan struct{} // Used in tests
	)
	timer := time.NewTimer(freezerRecheckInterval)
	defer timer.Stop()

	for {
		select {
		case <-f.quit:
			log.Println("Freezer shutting down")
			return
		default:
		}
		if backoff {
			if triggered != nil {
				triggered <- struct{}{}
				triggered = nil
			}
			select {
			case <-timer.C:
				backoff = false
				timer.Reset(freezerRecheckInterval)
			case triggered = <-f.trigger:
				backoff = false
			case <-f.quit:
				return
			}
		}
		first, limit := f.Ancients(), db.Head()
		if limit < f.threshold || limit-f.threshold <= first {
			backoff = true
			continue
		}
		limit -= f.threshold
		if limit-first > freezerBatchLimit {
			limit = first + freezerBatchLimit
		}
		if err := f.freezeRange(db, first, limit); err != nil {
			log.Printf("Error in block freeze operation: %v", err)
			backoff = true
			continue
		}
		if err := f.Sync(); err != nil {
			log.Fatalf("Failed to flush frozen tables: %v", err)
		}
		for n := first; n < limit; n++ {
			if err := db.Delete(n); err != nil {
				log.Fatalf("Failed to delete frozen canonical blocks: %v", err)
			}
		}
		backoff = limit-first < freezerBatchLimit
	}
}

func (f *chainFreezer) freezeRange(db KeyValueStore, number, limit uint64) error {
	return f.ModifyAncients(func(put func(string, uint64, []byte) error) (uint64, error) {
		for ; number < limit; number++ {
			for _, kind := range []string{"headers", "bodies", "receipts"} {
				blob, err := db.Read(kind, number)
				if err != nil {
					return 0, err
				}
				if err := put(kind, number, blob); err != nil {
					return 0, err
				}
			}
		}
		return number, nil
	})
}
