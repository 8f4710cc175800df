// Package lease registers service endpoints that live as long as their lease
// is renewed.
package lease

import (
	"errors"
	"sync"
	"time"
)

// ErrNotFound is returned for leases that were revoked or never granted.
var ErrNotFound = errors.New("lease: not found")

// ID names a lease.
type ID int64

type lease struct {
	id     ID
	ttl    time.Duration
	expiry time.Time
	keys   map[string]struct{}
}

type endpoint struct {
	addr  string
	owner ID
}

// Lessor keeps the leases and the endpoints attached to them.
type Lessor struct {
	mu        sync.RWMutex
	nextID    ID
	leases    map[ID]*lease
	endpoints map[string]endpoint
}

// NewLessor returns an empty lessor.
func NewLessor() *Lessor {
	return &Lessor{leases: make(map[ID]*lease), endpoints: make(map[string]endpoint)}
}

// Grant creates a lease.
func (le *Lessor) Grant(ttl time.Duration) ID {
	le.mu.Lock()
	defer le.mu.Unlock()
	le.nextID++
	le.leases[le.nextID] = &lease{
		id:     le.nextID,
		ttl:    ttl,
		expiry: time.Now().Add(ttl),
		keys:   make(map[string]struct{}),
	}
	return le.nextID
}

// Renew prolongs a lease and returns the time it has. A lease that ran out can
// be renewed as long as it was not revoked.
func (le *Lessor) Renew(id ID) (time.Duration, error) {
	le.mu.Lock()
	defer le.mu.Unlock()
	l, ok := le.leases[id]
	if !ok {
		return 0, ErrNotFound
	}
	l.expiry = time.Now().Add(l.ttl)
	return l.ttl, nil
}

// Register attaches an endpoint to a lease.
func (le *Lessor) Register(id ID, name, addr string) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l, ok := le.leases[id]
	if !ok {
		return ErrNotFound
	}
	if old, ok := le.endpoints[name]; ok && old.owner != id {
		delete(le.leases[old.owner].keys, name)
	}
	l.keys[name] = struct{}{}
	le.endpoints[name] = endpoint{addr: addr, owner: id}
	return nil
}

// Lookup returns the address of an endpoint.
func (le *Lessor) Lookup(name string) (string, bool) {
	le.mu.RLock()
	defer le.mu.RUnlock()
	e, ok := le.endpoints[name]
	return e.addr, ok
}

// Revoke ends a lease and removes its endpoints.
func (le *Lessor) Revoke(id ID) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l, ok := le.leases[id]
	if !ok {
		return ErrNotFound
	}
	le.removeLocked(l)
	return nil
}

func (le *Lessor) removeLocked(l *lease) {
	for name := range l.keys {
		delete(le.endpoints, name)
	}
	delete(le.leases, l.id)
}

// findExpired returns the leases that ran out, limit at most.
func (le *Lessor) findExpired(now time.Time, limit int) []ID {
	le.mu.RLock()
	defer le.mu.RUnlock()
	var ids []ID
	for id, l := range le.leases {
		if now.After(l.expiry) {
			ids = append(ids, id)
			if len(ids) == limit {
				break
			}
		}
	}
	return ids
}

// Server revokes expired leases in the background, at a limited rate.
type Server struct {
	le      *Lessor
	pace    time.Duration
	expired chan []ID
	stop    chan struct{}
}

// NewServer starts the two loops; Stop ends them.
func NewServer(le *Lessor, check, pace time.Duration) *Server {
	s := &Server{le: le, pace: pace, expired: make(chan []ID, 4), stop: make(chan struct{})}
	go s.checkLoop(check)
	go s.revokeLoop()
	return s
}

// Stop must be called once.
func (s *Server) Stop() { close(s.stop) }

func (s *Server) checkLoop(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case now := <-t.C:
			ids := s.le.findExpired(now, 500)
			if len(ids) == 0 {
				continue
			}
			select {
			case s.expired <- ids:
			default: // the revoker is behind, they will be found again
			}
		}
	}
}

func (s *Server) revokeLoop() {
	for {
		select {
		case <-s.stop:
			return
		case ids := <-s.expired:
			for _, id := range ids {
				// Found twice or revoked by the client: nothing to do.
				_ = s.le.Revoke(id)
				time.Sleep(s.pace)
			}
		}
	}
}
