// Package dlock is a lock service with sessions that time out.
package dlock

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrHeld = errors.New("dlock: lock is held")
	ErrLost = errors.New("dlock: lock was lost")
)

type holder struct {
	owner    string
	token    uint64
	ttl      time.Duration
	deadline time.Time
}

func (h *holder) expired(now time.Time) bool { return now.After(h.deadline) }

type candidate struct {
	name  string
	token uint64
}

// Service holds all locks.
type Service struct {
	onEvict func(name string, token uint64)

	mu     sync.RWMutex
	locks  map[string]*holder
	tokens uint64

	stop chan struct{}
	wg   sync.WaitGroup
}

// NewService starts a service that looks for dead sessions every interval.
func NewService(interval time.Duration, onEvict func(name string, token uint64)) *Service {
	s := &Service{
		onEvict: onEvict,
		locks:   make(map[string]*holder),
		stop:    make(chan struct{}),
	}
	s.wg.Add(1)
	go s.run(interval)
	return s
}

// Lock takes a lock and returns its fencing token.
func (s *Service) Lock(name, owner string, ttl time.Duration) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locks[name] != nil {
		return 0, ErrHeld
	}
	s.tokens++
	s.locks[name] = &holder{owner: owner, token: s.tokens, ttl: ttl, deadline: time.Now().Add(ttl)}
	return s.tokens, nil
}

// KeepAlive extends the session of a lock.
func (s *Service) KeepAlive(name string, token uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.locks[name]
	if h == nil || h.token != token {
		return ErrLost
	}
	h.deadline = time.Now().Add(h.ttl)
	return nil
}

// Unlock gives a lock back.
func (s *Service) Unlock(name string, token uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.locks[name]
	if h == nil || h.token != token {
		return ErrLost
	}
	delete(s.locks, name)
	return nil
}

// Owner returns who holds a lock.
func (s *Service) Owner(name string) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	h := s.locks[name]
	if h == nil {
		return "", false
	}
	return h.owner, true
}

func (s *Service) expired(now time.Time) []candidate {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []candidate
	for name, h := range s.locks {
		if h.expired(now) {
			out = append(out, candidate{name: name, token: h.token})
		}
	}
	return out
}

func (s *Service) evict(c candidate) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.locks[c.name]
	if h == nil || h.token != c.token || !h.expired(time.Now()) {
		return false
	}
	delete(s.locks, c.name)
	return true
}

// sweep takes the write lock for the dead sessions only.
func (s *Service) sweep() {
	for _, c := range s.expired(time.Now()) {
		if s.evict(c) {
			s.onEvict(c.name, c.token)
		}
	}
}

func (s *Service) run(interval time.Duration) {
	defer s.wg.Done()
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			s.sweep()
		case <-s.stop:
			return
		}
	}
}

// Close ends the sweeper. It must be called once.
func (s *Service) Close() {
	close(s.stop)
	s.wg.Wait()
}
