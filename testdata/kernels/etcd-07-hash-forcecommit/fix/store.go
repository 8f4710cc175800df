// Package fix is a versioned key/value store.
package fix

import (
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/atomvet/atomvet/testdata/kernels/etcd-07-hash-forcecommit/fix/disk"
)

// Errors of Trim.
var (
	ErrTrimmed = errors.New("store: revision was trimmed")
	ErrFuture  = errors.New("store: revision is in the future")
)

// Store gives every write a revision.
type Store struct {
	disk disk.Disk

	mu      sync.Mutex
	rev     int64
	trimmed int64
	latest  map[string]int64
}

// New returns an empty store.
func New(interval time.Duration) *Store {
	return &Store{
		disk:    disk.New(interval),
		trimmed: -1,
		latest:  make(map[string]int64),
	}
}

// Put writes one pair and returns the revision it got.
func (s *Store) Put(key, value string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rev++
	s.latest[key] = s.rev
	s.disk.Put(strconv.FormatInt(s.rev, 10)+"/"+key, value)
	return s.rev
}

// Revision returns the current revision.
func (s *Store) Revision() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rev
}

// Latest returns the revision that wrote key last.
func (s *Store) Latest(key string) (int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rev, ok := s.latest[key]
	return rev, ok
}

// Trim records that history before rev is not needed.
func (s *Store) Trim(rev int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rev <= s.trimmed {
		return ErrTrimmed
	}
	if rev > s.rev {
		return ErrFuture
	}
	s.trimmed = rev
	s.disk.Put("meta/trimmed", strconv.FormatInt(rev, 10))
	s.disk.Flush()
	return nil
}

// Checksum returns a checksum of the written data together with the revision it
// belongs to. Members of a cluster compare these pairs.
func (s *Store) Checksum() (uint32, int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disk.Flush()

	h := s.disk.Checksum()
	return h, s.rev
}

// Close stops the store.
func (s *Store) Close() { s.disk.Close() }
