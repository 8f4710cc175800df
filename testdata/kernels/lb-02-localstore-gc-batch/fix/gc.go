package localstore

import "log"

var (
	// gcTargetRatio defines the target number of items
	// in garbage collection index that will not be removed
	// on garbage collection.
	gcTargetRatio = 0.9
	// gcBatchSize limits the number of chunks in a single
	// batch on garbage collection.
	gcBatchSize int64 = 1000
)

// collectGarbageWorker is a long running function that waits for
// collectGarbageTrigger channel to signal a garbage collection
// run. GC run iterates on gcIndex and removes older items
// form retrieval and other indexes.
func (db *DB) collectGarbageWorker() {
	defer close(db.collectGarbageWorkerDone)

	for {
		select {
		case <-db.collectGarbageTrigger:
			// run a single collect garbage run and
			// if done is false, gcBatchSize is reached and
			// another collect garbage run is needed
			done, err := db.collectGarbage()
			if err != nil {
				log.Printf("localstore collect garbage: %v", err)
			}
			if !done {
				db.triggerGarbageCollection()
			}
		case <-db.close:
			return
		}
	}
}

// collectGarbage removes chunks from retrieval and other
// indexes if maximal number of chunks in database is reached.
// If done is false, another call to this function is needed to collect
// the rest of the garbage as the batch size limit is reached.
// This function is called in collectGarbageWorker.
func (db *DB) collectGarbage() (done bool, err error) {
	var collectedCount int64
	batch := new(Batch)
	target := db.gcTarget()

	// protect database from changing idexes and gcSize
	db.batchMu.Lock()
	defer db.batchMu.Unlock()

	done = true
	err = db.gcIndex.Iterate(func(item Item) (stop bool, err error) {

		gcSize := db.getGCSize()
		if gcSize-collectedCount <= target {
			return true, nil
		}
		// delete from retrieve, gc
		db.retrievalDataIndex.DeleteInBatch(batch, item)
		db.retrievalAccessIndex.DeleteInBatch(batch, item)
		db.gcIndex.DeleteInBatch(batch, item)
		collectedCount++
		if collectedCount >= gcBatchSize {
			// bach size limit reached,
			// another gc run is needed
			done = false
			return true, nil
		}
		return false, nil
	})
	if err != nil {
		return false, err
	}

	err = db.shed.WriteBatch(batch)
	if err != nil {
		return false, err
	}
	// batch is written, decrement gcSize
	db.incGCSize(-collectedCount)
	return done, nil
}

// gcTrigger retruns the absolute value for garbage collection
// target value, calculated from db.capacity and gcTargetRatio.
func (db *DB) gcTarget() (target int64) {
	return int64(float64(db.capacity) * gcTargetRatio)
}

// incGCSize increments gcSize by the provided number.
// If count is negative, it will decrement gcSize.
func (db *DB) incGCSize(count int64) {
	if count == 0 {
		return
	}

	db.gcSizeMu.Lock()
	new := db.gcSize + count
	db.gcSize = new
	db.gcSizeMu.Unlock()

	if new >= db.capacity {
		db.triggerGarbageCollection()
	}
}

// getGCSize returns gcSize value by locking it
// with gcSizeMu mutex.
func (db *DB) getGCSize() (count int64) {
	db.gcSizeMu.RLock()
	count = db.gcSize
	db.gcSizeMu.RUnlock()
	return count
}

// triggerGarbageCollection signals collectGarbageWorker
// to call collectGarbage.
func (db *DB) triggerGarbageCollection() {
	select {
	case db.collectGarbageTrigger <- struct{}{}:
	case <-db.close:
	default:
	}
}
