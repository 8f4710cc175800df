// Package devices keeps one session for each device that is connected through one or
// more gateways.
package devices

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

var (
	ErrOffline = errors.New("devices: device is offline")
	ErrSlow    = errors.New("devices: command queue is full")
)

type Command struct {
	Name string
	Args []byte
}

// Uplink writes to one gateway.
type Uplink interface {
	Push(device string, c Command) error
}

// session is shared by all uplinks of a device.
type session struct {
	device string
	queue  chan Command
	quit   chan struct{}

	mu    sync.Mutex
	refs  int
	dead  bool // the last uplink is gone, for good
	links []Uplink
	since time.Time
}

func newSession(device string) *session {
	return &session{device: device, queue: make(chan Command, 16), quit: make(chan struct{})}
}

func (s *session) retain(u Uplink) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return false
	}
	s.refs++
	s.links = append(s.links, u)
	s.since = time.Now()
	return true
}

// release drops the uplink and returns how many are left.
func (s *session) release(u Uplink) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, l := range s.links {
		if l == u {
			s.links = append(s.links[:i:i], s.links[i+1:]...)
			s.refs--
			break
		}
	}
	s.dead = s.refs == 0
	return s.refs
}

func (s *session) newest() (Uplink, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.links) == 0 {
		return nil, false
	}
	return s.links[len(s.links)-1], true
}

// pump sends the commands over the newest uplink.
func (s *session) pump() {
	for {
		select {
		case <-s.quit:
			return
		case c := <-s.queue:
			if u, ok := s.newest(); ok {
				_ = u.Push(s.device, c)
			}
		}
	}
}

// Registry maps device ids to sessions.
type Registry struct {
	sessions sync.Map // string -> *session
}

// Attach adds the uplink to the session of the device. It must be followed by one
// Detach with the session that it returns.
func (r *Registry) Attach(device string, u Uplink) *session {
	for {
		v, loaded := r.sessions.LoadOrStore(device, newSession(device))
		s := v.(*session)
		if s.retain(u) {
			if !loaded {
				go s.pump()
			}
			return s
		}
		r.sessions.CompareAndDelete(device, s)
	}
}

// Detach takes the uplink away; the last one ends the session.
func (r *Registry) Detach(s *session, u Uplink) {
	if s.release(u) > 0 {
		return
	}
	r.sessions.CompareAndDelete(s.device, s)
	close(s.quit)
}

// Send queues a command.
func (r *Registry) Send(ctx context.Context, device string, c Command) error {
	v, ok := r.sessions.Load(device)
	if !ok {
		return fmt.Errorf("%w: %s", ErrOffline, device)
	}
	s := v.(*session)
	select {
	case s.queue <- c:
		return nil
	case <-s.quit:
		return fmt.Errorf("%w: %s", ErrOffline, device)
	case <-ctx.Done():
		return errors.Join(ErrSlow, ctx.Err())
	}
}

func (r *Registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	ctx, cancel := context.WithTimeout(req.Context(), 2*time.Second)
	defer cancel()
	err := r.Send(ctx, req.PathValue("device"), Command{Name: req.FormValue("cmd")})
	switch {
	case errors.Is(err, ErrOffline):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}
