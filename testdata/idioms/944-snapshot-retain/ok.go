// Package snapshots keeps the latest snapshot of a replicated state machine
// on disk for followers that are too far behind. A snapshot is deleted when a
// newer one is there and no follower reads it any more.
package snapshots

import (
	"errors"
	"io"
	"log"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

var (
	// ErrNone is returned while there is no snapshot.
	ErrNone = errors.New("snapshots: none")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("snapshots: closed")
	// ErrOld is returned when a newer snapshot has been published.
	ErrOld = errors.New("snapshots: there is a newer one")
)

// Snapshot is a file with the state after a log entry.
type Snapshot struct {
	Index uint64
	Term  uint64
	path  string
	users atomic.Int64 // readers, and the keeper while it is the latest
}

// retain adds a user unless the snapshot has none left.
func (s *Snapshot) retain() bool {
	for {
		n := s.users.Load()
		if n == 0 {
			return false
		}
		if s.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release ends the use of a snapshot.
func (s *Snapshot) Release() {
	if s.users.Add(-1) > 0 {
		return
	}
	if err := os.Remove(s.path); err != nil {
		log.Printf("snapshots: %v", err)
	}
}

// WriteTo writes the content of the snapshot. The caller has to hold it.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
	f, err := os.Open(s.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(w, f)
}

// Keeper holds the latest snapshot. It is safe for concurrent use.
type Keeper struct {
	dir    string
	latest atomic.Pointer[Snapshot]

	publish sync.Mutex // held while latest is replaced
	closed  bool
}

// NewKeeper returns a keeper for snapshots in a directory.
func NewKeeper(dir string) *Keeper { return &Keeper{dir: dir} }

// Create writes a snapshot with fn and publishes it.
func (k *Keeper) Create(index, term uint64, fn func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(k.dir, "snap-*")
	if err != nil {
		return err
	}
	path := filepath.Clean(f.Name())
	defer func() {
		if err != nil {
			os.Remove(path)
		}
	}()
	err = fn(f)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	s := &Snapshot{Index: index, Term: term, path: path}
	s.users.Store(1)
	return k.replace(s)
}

// replace makes a snapshot the latest one, whose user the keeper becomes.
func (k *Keeper) replace(s *Snapshot) error {
	k.publish.Lock()
	defer k.publish.Unlock()
	if k.closed {
		return ErrClosed
	}
	old := k.latest.Load()
	if old != nil && old.Index >= s.Index {
		return ErrOld
	}
	k.latest.Store(s)
	if old != nil {
		old.Release()
	}
	return nil
}

// Latest returns the latest snapshot. The caller has to Release it.
func (k *Keeper) Latest() (*Snapshot, error) {
	for {
		s := k.latest.Load()
		if s == nil {
			return nil, ErrNone
		}
		if s.retain() {
			return s, nil
		}
	}
}

// Send writes the latest snapshot to a follower if it has entries beyond the
// given index, and returns the index after which the follower goes on.
func (k *Keeper) Send(w io.Writer, have uint64) (uint64, error) {
	s, err := k.Latest()
	if err != nil {
		return have, err
	}
	defer s.Release()
	if s.Index <= have {
		return have, nil
	}
	if _, err := s.WriteTo(w); err != nil {
		return have, err
	}
	return s.Index, nil
}

// Close gives up the latest snapshot.
func (k *Keeper) Close() {
	k.publish.Lock()
	defer k.publish.Unlock()
	if k.closed {
		return
	}
	k.closed = true
	if old := k.latest.Swap(nil); old != nil {
		old.Release()
	}
}
