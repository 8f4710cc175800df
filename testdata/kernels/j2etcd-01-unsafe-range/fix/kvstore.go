// Package storage is a multi version key value store that can be watched.
package storage

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"sync"
)

// KeyValue is one version of a key.
type KeyValue struct {
	Key, Value  string
	ModRevision int64
}

type store struct {
	mu             sync.Mutex // guards the fields below
	currentRev     int64
	compactMainRev int64
	kvindex        map[string]int64

	tx *batchTx
}

func revToBytes(rev int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(rev))
}

// Put sets a key and returns the revision.
func (s *store) Put(key, value string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.currentRev++
	kv := KeyValue{Key: key, Value: value, ModRevision: s.currentRev}
	b, _ := json.Marshal(kv)
	s.tx.Lock()
	s.tx.UnsafePut(revToBytes(s.currentRev), b)
	s.tx.Unlock()
	s.kvindex[key] = s.currentRev
	return kv.ModRevision
}

// Compact drops the versions up to rev that have a successor.
func (s *store) Compact(rev int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rev <= s.compactMainRev || rev > s.currentRev {
		return errors.New("storage: required revision has been compacted")
	}
	s.compactMainRev = rev
	keep := make(map[string]bool)
	for _, r := range s.kvindex {
		keep[string(revToBytes(r))] = true
	}
	go s.scheduleCompaction(string(revToBytes(rev+1)), keep)
	return nil
}

func (s *store) scheduleCompaction(end string, keep map[string]bool) {
	s.tx.Lock()
	defer s.tx.Unlock()
	s.tx.UnsafeDelete(func(key []byte) bool {
		return string(key) < end && !keep[string(key)]
	})
}
