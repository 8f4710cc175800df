package container

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrNotStarted is returned by Wait for a container that never ran.
var ErrNotStarted = errors.New("container: not started")

// ExitStatus tells how the init process ended.
type ExitStatus struct {
	Code     int
	OOM      bool
	ExitedAt time.Time
}

type phase int

const (
	phaseCreated phase = iota
	phaseStarting
	phaseRunning
	phaseExited
)

// State is the runtime state of a container.
type State struct {
	mu      sync.Mutex
	phase   phase
	pid     int
	exit    ExitStatus
	waiters []chan ExitStatus
}

// beginStart claims the container for the caller, who starts it.
func (s *State) beginStart() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase == phaseStarting || s.phase == phaseRunning {
		return false
	}
	s.phase = phaseStarting
	return true
}

func (s *State) abortStart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = phaseCreated
}

// SetRunning records the pid of the init process.
func (s *State) SetRunning(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = phaseRunning
	s.pid = pid
	s.exit = ExitStatus{}
}

// SetStopped records the exit and tells everybody who waits for it.
func (s *State) SetStopped(st ExitStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = phaseExited
	s.pid = 0
	s.exit = st
	for _, w := range s.waiters {
		w <- st
	}
	s.waiters = nil
}

func (s *State) snapshot() (phase, ExitStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase, s.exit
}

func (s *State) subscribe() chan ExitStatus {
	ch := make(chan ExitStatus, 1)
	s.mu.Lock()
	s.waiters = append(s.waiters, ch)
	s.mu.Unlock()
	return ch
}

func (s *State) unsubscribe(ch chan ExitStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range s.waiters {
		if w == ch {
			s.waiters = append(s.waiters[:i], s.waiters[i+1:]...)
			return
		}
	}
}

// Wait blocks until the container has exited and returns how.
func (s *State) Wait(ctx context.Context) (ExitStatus, error) {
	ph, exit := s.snapshot()
	switch ph {
	case phaseCreated, phaseStarting:
		return ExitStatus{}, ErrNotStarted
	case phaseExited:
		return exit, nil
	}
	ch := s.subscribe()
	select {
	case st := <-ch:
		return st, nil
	case <-ctx.Done():
		s.unsubscribe(ch)
		return ExitStatus{}, ctx.Err()
	}
}
