// Package ok answers reads when the local state has caught up.
package ok

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	errLeaderChanged = errors.New("leader has changed")
	errStopped       = errors.New("server is stopped")
)

// Notifier wakes all that wait.
type Notifier struct {
	mu sync.RWMutex
	ch chan struct{}
}

// NewNotifier returns a notifier.
func NewNotifier() *Notifier { return &Notifier{ch: make(chan struct{})} }

// Receive returns a channel that the next Notify closes.
func (n *Notifier) Receive() <-chan struct{} {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.ch
}

// Notify wakes those that have called Receive before.
func (n *Notifier) Notify() {
	ch := make(chan struct{})
	n.mu.Lock()
	old := n.ch
	n.ch = ch
	n.mu.Unlock()
	close(old)
}

// Server applies entries in order.
type Server struct {
	applied  atomic.Uint64
	leader   atomic.Uint64
	progress *Notifier
	changed  *Notifier
	entries  chan entry
	stop     chan struct{}
	once     sync.Once

	mu   sync.RWMutex
	data map[string]string
}

type entry struct {
	index      uint64
	key, value string
}

// NewServer returns a running server.
func NewServer() *Server {
	s := &Server{
		progress: NewNotifier(),
		changed:  NewNotifier(),
		entries:  make(chan entry),
		stop:     make(chan struct{}),
		data:     make(map[string]string),
	}
	go s.run()
	return s
}

func (s *Server) run() {
	for {
		select {
		case e := <-s.entries:
			if e.index <= s.applied.Load() {
				continue
			}
			s.mu.Lock()
			s.data[e.key] = e.value
			s.mu.Unlock()
			s.applied.Store(e.index)
			s.progress.Notify()
		case <-s.stop:
			return
		}
	}
}

// Apply hands an entry to the server.
func (s *Server) Apply(index uint64, key, value string) error {
	select {
	case s.entries <- entry{index, key, value}:
		return nil
	case <-s.stop:
		return errStopped
	}
}

// SetLeader is called when the leader is another one.
func (s *Server) SetLeader(id uint64) {
	if s.leader.Swap(id) != id {
		s.changed.Notify()
	}
}

func (s *Server) waitApplied(ctx context.Context, index uint64) error {
	lost := s.changed.Receive()
	for {
		moved := s.progress.Receive()
		if s.applied.Load() >= index {
			return nil
		}
		select {
		case <-moved:
		case <-lost:
			return errLeaderChanged
		case <-ctx.Done():
			return ctx.Err()
		case <-s.stop:
			return errStopped
		}
	}
}

// Read returns a value that is at least as new as the index.
func (s *Server) Read(ctx context.Context, index uint64, key string) (string, error) {
	if err := s.waitApplied(ctx, index); err != nil {
		return "", err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.data[key], nil
}

// Applied returns the index of the last entry.
func (s *Server) Applied() uint64 { return s.applied.Load() }

// Stop ends the server.
func (s *Server) Stop() { s.once.Do(func() { close(s.stop) }) }
