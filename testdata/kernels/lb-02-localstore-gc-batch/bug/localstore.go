package localstore

import (
	"encoding/hex"
	"errors"
	"log"
	"sync"
	"time"
)

var (
	// ErrAddressLockTimeout is returned when the same chunk
	// is updated in parallel and one of the updates
	// takes longer then the configured timeout duration.
	ErrAddressLockTimeout = errors.New("address lock timeout")
)

// DB is the local store implementation and holds
// database related objects.
type DB struct {
	shed *shedDB

	// retrieval indexes
	retrievalDataIndex   *Index
	retrievalAccessIndex *Index
	// garbage collection index
	gcIndex *Index

	// number of elements in garbage collection index
	// it must be always read by getGCSize and
	// set with incGCSize which are locking gcSizeMu
	gcSize   int64
	gcSizeMu sync.RWMutex
	// garbage collection is triggered when gcSize exceeds
	// the capacity value
	capacity int64

	// triggers garbage collection event loop
	collectGarbageTrigger chan struct{}

	// a wait group to ensure all updateGC goroutines
	// are done before closing the database
	updateGCWG sync.WaitGroup

	addressLocks sync.Map

	// this channel is closed when close function is called
	// to terminate other goroutines
	close chan struct{}

	// protect Close method from exiting before
	// garbage collection worker is done
	collectGarbageWorkerDone chan struct{}
}

// New returns a new DB. All fields and indexes are initialized.
func New(capacity int64) *DB {
	db := &DB{
		shed:     new(shedDB),
		capacity: capacity,
		// channel collectGarbageTrigger needs to be buffered with
		// the size of 1 to signal another event if it
		// is triggered during already running function
		collectGarbageTrigger:    make(chan struct{}, 1),
		close:                    make(chan struct{}),
		collectGarbageWorkerDone: make(chan struct{}),
	}
	db.retrievalDataIndex = db.shed.NewIndex(addressKey)
	db.retrievalAccessIndex = db.shed.NewIndex(addressKey)
	db.gcIndex = db.shed.NewIndex(accessKey)

	// start garbage collection worker
	go db.collectGarbageWorker()
	return db
}

// Close closes the underlying database.
func (db *DB) Close() (err error) {
	close(db.close)
	db.updateGCWG.Wait()

	<-db.collectGarbageWorkerDone
	return nil
}

var (
	// Maximal time for lockAddr to wait until it
	// returns error.
	addressLockTimeout = 3 * time.Second
	// duration between two lock checks in lockAddr.
	addressLockCheckDelay = 30 * time.Microsecond
)

// lockAddr sets the lock on a particular address
// using addressLocks sync.Map and returns unlock function.
// If the address is locked this function will check it
// in a for loop for addressLockTimeout time, after which
// it will return ErrAddressLockTimeout error.
func (db *DB) lockAddr(addr []byte) (unlock func(), err error) {
	start := time.Now()
	lockKey := hex.EncodeToString(addr)
	for {
		_, loaded := db.addressLocks.LoadOrStore(lockKey, struct{}{})
		if !loaded {
			break
		}
		time.Sleep(addressLockCheckDelay)
		if time.Since(start) > addressLockTimeout {
			return nil, ErrAddressLockTimeout
		}
	}
	return func() { db.addressLocks.Delete(lockKey) }, nil
}

// Get returns a chunk from the database and updates the
// access timestamp and gc index.
func (db *DB) Get(addr []byte) (out Item, err error) {
	out, err = db.retrievalDataIndex.Get(Item{Address: addr})
	if err != nil {
		return out, err
	}
	db.updateGCWG.Add(1)
	go func() {
		defer db.updateGCWG.Done()
		if err := db.updateGC(out); err != nil {
			log.Printf("localstore update gc: %v", err)
		}
	}()
	return out, nil
}

// updateGC updates garbage collection index for
// a single item. Provided item is expected to have
// only Address and Data fields with non zero values,
// which is ensured by the get function.
func (db *DB) updateGC(item Item) (err error) {
	unlock, err := db.lockAddr(item.Address)
	if err != nil {
		return err
	}
	defer unlock()

	batch := new(Batch)

	// update accessTimeStamp in retrieve, gc

	i, err := db.retrievalAccessIndex.Get(item)
	switch err {
	case nil:
		item.AccessTimestamp = i.AccessTimestamp
	case ErrNotFound:
		// no chunk accesses, chunk is not yet synced
		// do not add it to the gc index
		return nil
	default:
		return err
	}
	// delete current entry from the gc index
	db.gcIndex.DeleteInBatch(batch, item)
	// update access timestamp
	item.AccessTimestamp = time.Now().UnixNano()
	// update retrieve access index
	db.retrievalAccessIndex.PutInBatch(batch, item)
	// add new entry to gc index
	db.gcIndex.PutInBatch(batch, item)

	return db.shed.WriteBatch(batch)
}

// Put stores Item to database and updates other
// indexes. It acquires lockAddr to protect two calls
// of this function for the same address in parallel.
// Item fields Address and Data must not be
// with their nil values.
func (db *DB) Put(item Item) (err error) {
	// protect parallel updates
	unlock, err := db.lockAddr(item.Address)
	if err != nil {
		return err
	}
	defer unlock()

	batch := new(Batch)

	// number to add or subtract from gcSize, after
	// write batch function successfully executes
	var gcSizeChange int64

	// check if the chunk already is in the database
	// as gc index is updated
	i, err := db.retrievalAccessIndex.Get(item)
	switch err {
	case nil:
		item.AccessTimestamp = i.AccessTimestamp
		// delete current entry from the gc index
		db.gcIndex.DeleteInBatch(batch, item)
		gcSizeChange--
	case ErrNotFound:
		// no chunk accesses
	default:
		return err
	}
	// update access timestamp
	item.AccessTimestamp = time.Now().UnixNano()
	// update retrieve access index
	db.retrievalAccessIndex.PutInBatch(batch, item)
	// add new entry to gc index
	db.gcIndex.PutInBatch(batch, item)
	gcSizeChange++

	db.retrievalDataIndex.PutInBatch(batch, item)

	err = db.shed.WriteBatch(batch)
	if err != nil {
		return err
	}
	if gcSizeChange != 0 {
		db.incGCSize(gcSizeChange)
	}
	return nil
}
