// Package follower applies the log of a leader to a local copy.
package follower

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var (
	// ErrStaleEpoch is returned for a batch of a leader that was replaced.
	ErrStaleEpoch = errors.New("follower: batch of another epoch")
	// ErrGap is returned for a batch that does not start where the last ended.
	ErrGap = errors.New("follower: gap in the log")
)

// Batch is a run of log entries.
type Batch struct {
	Epoch   uint64
	Offset  int64 // offset of the first entry
	Entries [][]byte
}

// Sink is the local copy. It is durable when Apply or Truncate returns.
type Sink interface {
	Apply(offset int64, entries [][]byte) error
	Truncate(offset int64) error
}

// Follower tracks how far the copy got. It is safe for concurrent use.
type Follower struct {
	sink Sink

	mu     sync.Mutex // held while the copy moves
	epoch  atomic.Uint64
	offset atomic.Int64
}

// New returns a Follower that goes on at offset of epoch.
func New(sink Sink, epoch uint64, offset int64) *Follower {
	f := &Follower{sink: sink}
	f.epoch.Store(epoch)
	f.offset.Store(offset)
	return f
}

// Apply appends a batch to the copy.
func (f *Follower) Apply(b Batch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if b.Epoch != f.epoch.Load() {
		return ErrStaleEpoch
	}
	if at := f.offset.Load(); b.Offset != at {
		return fmt.Errorf("have %d, got %d: %w", at, b.Offset, ErrGap)
	}
	if err := f.sink.Apply(b.Offset, b.Entries); err != nil {
		return err
	}
	f.offset.Store(b.Offset + int64(len(b.Entries)))
	return nil
}

// Rebase follows a new leader, whose log departs from the old one at offset.
// Entries from there on are discarded.
func (f *Follower) Rebase(epoch uint64, offset int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if epoch <= f.epoch.Load() {
		return ErrStaleEpoch
	}
	if at := f.offset.Load(); offset > at {
		return fmt.Errorf("have %d, new leader starts at %d: %w", at, offset, ErrGap)
	}
	if err := f.sink.Truncate(offset); err != nil {
		return err
	}
	f.epoch.Store(epoch)
	f.offset.Store(offset)
	return nil
}

// Epoch returns the epoch of the leader that is followed.
func (f *Follower) Epoch() uint64 { return f.epoch.Load() }

// Offset returns the offset the next entry will have.
func (f *Follower) Offset() int64 { return f.offset.Load() }

// Position returns where the follower is.
func (f *Follower) Position() Position {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Position{Offset: f.offset.Load(), Epoch: f.epoch.Load()}
}

// Lag returns how far the copy is behind a leader whose log ends at head.
func (f *Follower) Lag(head int64) int64 {
	return max(0, head-f.offset.Load())
}
