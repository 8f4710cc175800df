// Package storage keeps all reversions of the keys.
package storage

import (
	"encoding/binary"
	"errors"
	"log"
	"sync"
	"time"
)

var (
	batchInterval  = 100 * time.Millisecond
	keyBucketName  = "key"
	metaBucketName = "meta"

	finishedCompactKeyName = []byte("finishedCompactRev")

	ErrCompacted = errors.New("storage: required reversion has been compacted")
	ErrFutureRev = errors.New("storage: required reversion is a future reversion")
)

type store struct {
	mu sync.RWMutex

	b       *backend
	kvindex map[string][]int64 // reversions of a key, ascending

	currentRev int64
	// the main reversion of the last compaction
	compactMainRev int64
}

// New returns a store on a backend with the given commit and release.
func New(commit func(map[string]map[string][]byte), release func() error) *store {
	return &store{
		b:              newBackend(batchInterval, commit, release),
		kvindex:        make(map[string][]int64),
		compactMainRev: -1,
	}
}

func (s *store) Put(key string, value []byte) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.currentRev++
	tx := s.b.BatchTx()
	tx.Lock()
	defer tx.Unlock()
	tx.UnsafePut(keyBucketName, revToBytes(s.currentRev), value)
	s.kvindex[key] = append(s.kvindex[key], s.currentRev)
	return s.currentRev
}

func (s *store) Range(key string, rangeRev int64) (value []byte, rev int64, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if rangeRev > s.currentRev {
		return nil, s.currentRev, ErrFutureRev
	}
	rev = rangeRev
	if rev <= 0 {
		rev = s.currentRev
	}
	if rev <= s.compactMainRev {
		return nil, 0, ErrCompacted
	}
	at := latest(s.kvindex[key], rev)
	if at == 0 {
		return nil, rev, nil
	}

	tx := s.b.BatchTx()
	tx.Lock()
	defer tx.Unlock()
	_, vs := tx.UnsafeRange(keyBucketName, revToBytes(at), nil, 0)
	if len(vs) != 1 {
		log.Fatalf("storage: range cannot find rev %d", at)
	}
	return vs[0], rev, nil
}

// Compact forgets what was overwritten up to the reversion.
func (s *store) Compact(rev int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rev <= s.compactMainRev {
		return ErrCompacted
	}
	if rev > s.currentRev {
		return ErrFutureRev
	}

	s.compactMainRev = rev

	keep := s.compactIndex(rev)

	go s.scheduleCompaction(rev, keep)
	return nil
}

// compactIndex returns the reversions that must stay.
func (s *store) compactIndex(rev int64) map[int64]struct{} {
	keep := make(map[int64]struct{})
	for key, revs := range s.kvindex {
		at := latest(revs, rev)
		if at == 0 {
			continue
		}
		keep[at] = struct{}{}
		for revs[0] != at {
			revs = revs[1:]
		}
		s.kvindex[key] = revs
	}
	return keep
}

// Close is called once, when no other method runs.
func (s *store) Close() error {
	return s.b.Close()
}

func latest(revs []int64, rev int64) (at int64) {
	for _, r := range revs {
		if r <= rev {
			at = r
		}
	}
	return at
}

func revToBytes(rev int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(rev))
}

func bytesToRev(b []byte) int64 {
	return int64(binary.BigEndian.Uint64(b))
}
