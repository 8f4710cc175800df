// Package tsm serves reads from segment files that a compactor replaces.
package tsm

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

var ErrNoSegment = errors.New("tsm: no such segment")

// segment is an open file. The list owns one pin, every reader another; the
// count never leaves zero again.
type segment struct {
	file *os.File
	pins atomic.Int32
}

func openSegment(path string) (*segment, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &segment{file: f}
	s.pins.Store(1)
	return s, nil
}

// tryPin fails when the segment is already closed.
func (s *segment) tryPin() bool {
	for {
		n := s.pins.Load()
		if n == 0 {
			return false
		}
		if s.pins.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (s *segment) unpin() {
	if s.pins.Add(-1) == 0 {
		_ = s.file.Close()
	}
}

// Shard holds the current segment of every series group.
type Shard struct {
	mu       sync.RWMutex
	segments map[string]*segment
}

func NewShard() *Shard {
	return &Shard{segments: make(map[string]*segment)}
}

func (sh *Shard) current(group string) *segment {
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	return sh.segments[group]
}

// swap installs a segment and gives up the list's pin on the former one.
func (sh *Shard) swap(group string, s *segment) {
	sh.mu.Lock()
	old := sh.segments[group]
	sh.segments[group] = s
	sh.mu.Unlock()
	if old != nil {
		old.unpin()
	}
}

// acquire returns the group's segment with a pin for the caller.
func (sh *Shard) acquire(group string) (*segment, error) {
	for {
		s := sh.current(group)
		if s == nil {
			return nil, ErrNoSegment
		}
		if s.tryPin() {
			return s, nil
		}
		// Replaced since the look-up; the list has a newer one by now.
	}
}

// ReadAt is called by the query goroutines.
func (sh *Shard) ReadAt(group string, p []byte, off int64) (int, error) {
	s, err := sh.acquire(group)
	if err != nil {
		return 0, err
	}
	defer s.unpin()
	n, err := s.file.ReadAt(p, off)
	if errors.Is(err, io.EOF) && n > 0 {
		err = nil
	}
	return n, err
}

// Compactor writes a new file for a group and returns its path.
type Compactor interface {
	Compact(ctx context.Context) (group, path string, err error)
}

// Maintain installs the results of the compactor until ctx ends.
func (sh *Shard) Maintain(ctx context.Context, c Compactor) {
	for ctx.Err() == nil {
		group, path, err := c.Compact(ctx)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		s, err := openSegment(path)
		if err != nil {
			log.Printf("tsm: %v", err)
			continue
		}
		sh.swap(group, s)
	}
}
