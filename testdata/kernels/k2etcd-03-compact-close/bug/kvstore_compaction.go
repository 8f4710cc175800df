package storage

import (
	"time"
)

func (s *store) scheduleCompaction(compactMainRev int64, keep map[int64]struct{}) {
	end := revToBytes(compactMainRev + 1)

	batchsize := 10000
	last := make([]byte, 8)
	for {
		var rev int64

		tx := s.b.BatchTx()
		tx.Lock()

		keys, _ := tx.UnsafeRange(keyBucketName, last, end, batchsize)
		for _, key := range keys {
			rev = bytesToRev(key)
			if _, ok := keep[rev]; !ok {
				tx.UnsafeDelete(keyBucketName, key)
			}
		}

		if len(keys) == 0 {
			tx.UnsafePut(metaBucketName, finishedCompactKeyName, revToBytes(compactMainRev))
			tx.Unlock()
			return
		}

		// update last
		last = revToBytes(rev + 1)
		tx.Unlock()

		time.Sleep(100 * time.Millisecond)
	}
}
