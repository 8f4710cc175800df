// Package a follows how far a log has been applied.
package a

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var ErrStopped = errors.New("apply: stopped")

// Mark is a high-water mark with waiters. Several workers report to it, in
// any order.
type Mark struct {
	name  string
	value atomic.Uint64

	mu      sync.Mutex
	waiters map[*waiter]struct{}
	stopped bool

	reports atomic.Int64
	late    atomic.Int64
	waits   atomic.Int64
}

type waiter struct {
	index uint64
	done  chan error // has room for the one answer
}

// NewMark starts at an index.
func NewMark(name string, start uint64) *Mark {
	m := &Mark{name: name, waiters: make(map[*waiter]struct{})}
	m.value.Store(start)
	return m
}

// Name is used in metrics.
func (m *Mark) Name() string { return m.name }

// Value is the current mark.
func (m *Mark) Value() uint64 { return m.value.Load() }

// Advance raises the mark to index and releases who waits for it. A lower
// index than the mark is a late report.
func (m *Mark) Advance(index uint64) {
	m.reports.Add(1)
	for {
		old := m.value.Load()
		if index <= old {
			m.late.Add(1)
			return
		}
		if m.value.CompareAndSwap(old, index) {
			break
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.value.Load()
	for w := range m.waiters {
		if w.index <= now {
			delete(m.waiters, w)
			w.done <- nil
		}
	}
}

// Wait returns when the mark has reached index.
func (m *Mark) Wait(ctx context.Context, index uint64) error {
	if m.value.Load() >= index {
		return nil
	}
	m.waits.Add(1)
	w := &waiter{index: index, done: make(chan error, 1)}
	m.mu.Lock()
	// Who raised the mark before this look is seen here, and who raises it
	// later takes the lock afterwards and finds the waiter.
	if m.value.Load() >= index {
		m.mu.Unlock()
		return nil
	}
	if m.stopped {
		m.mu.Unlock()
		return ErrStopped
	}
	m.waiters[w] = struct{}{}
	m.mu.Unlock()

	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		m.mu.Lock()
		delete(m.waiters, w)
		m.mu.Unlock()
		return ctx.Err()
	}
}

// Stop fails all waiters.
func (m *Mark) Stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopped = true
	for w := range m.waiters {
		delete(m.waiters, w)
		w.done <- ErrStopped
	}
}

// Stats returns the counters.
func (m *Mark) Stats() (reports, late, waits int64) {
	return m.reports.Load(), m.late.Load(), m.waits.Load()
}
