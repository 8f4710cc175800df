package a

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync"
)

var (
	ErrNoPool       = errors.New("quota: no such pool")
	ErrClosed       = errors.New("quota: pool is closed")
	ErrInsufficient = errors.New("quota: not enough units")
)

// lock is a mutex that can also be used in a select.
type lock chan struct{}

func newLock() lock     { return make(lock, 1) }
func (l lock) acquire() { l <- struct{}{} }
func (l lock) release() { <-l }

type pool struct {
	name string

	guard  lock
	units  int64
	closed bool
}

// Refunder pays unused units back to the customer.
type Refunder interface {
	Refund(pool string, units int64) error
}

// Service keeps the prepaid request quota of teams.
type Service struct {
	refunds Refunder

	mu    sync.RWMutex
	pools map[string]*pool
}

func NewService(r Refunder) *Service {
	return &Service{refunds: r, pools: make(map[string]*pool)}
}

// Open creates a pool. Names are never used twice.
func (s *Service) Open(name string, units int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, dup := s.pools[name]; dup {
		return false
	}
	s.pools[name] = &pool{name: name, guard: newLock(), units: units}
	return true
}

func (s *Service) pool(name string) (*pool, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p, ok := s.pools[name]
	if !ok {
		return nil, ErrNoPool
	}
	return p, nil
}

// Spend takes n units for a request.
func (s *Service) Spend(name string, n int64) error {
	p, err := s.pool(name)
	if err != nil {
		return err
	}
	p.guard.acquire()
	defer p.guard.release()
	if p.closed {
		return ErrClosed
	}
	if n <= 0 || p.units < n {
		return ErrInsufficient
	}
	p.units -= n
	return nil
}

// Transfer moves n units from one pool to another.
func (s *Service) Transfer(from, to string, n int64) error {
	if n <= 0 || from == to {
		return ErrInsufficient
	}
	src, err := s.pool(from)
	if err != nil {
		return err
	}
	dst, err := s.pool(to)
	if err != nil {
		return err
	}

	first, second := src, dst
	if second.name < first.name {
		first, second = second, first
	}
	first.guard.acquire()
	defer first.guard.release()
	second.guard.acquire()
	defer second.guard.release()
	if dst.closed {
		return ErrClosed
	}
	if src.closed || src.units < n {
		return ErrInsufficient
	}
	src.units -= n
	dst.units += n
	return nil
}

// Close ends a pool and refunds what is left in it.
func (s *Service) Close(name string) error {
	p, err := s.pool(name)
	if err != nil {
		return err
	}
	p.guard.acquire()
	if p.closed {
		p.guard.release()
		return ErrClosed
	}
	p.closed = true
	left := p.units
	p.units = 0
	p.guard.release()
	return s.refunds.Refund(name, left)
}

type request struct {
	Op    string `json:"op"`
	Pool  string `json:"pool"`
	To    string `json:"to"`
	Units int64  `json:"units"`
}

func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	err := errors.New("quota: unknown operation")
	switch req.Op {
	case "spend":
		err = s.Spend(req.Pool, req.Units)
	case "transfer":
		err = s.Transfer(req.Pool, req.To, req.Units)
	case "close":
		err = s.Close(req.Pool)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}
