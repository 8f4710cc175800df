// Package a limits the power drawn by the chargers of one site.
package a

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// ErrGridLimit is returned when a session would exceed the grid connection.
var ErrGridLimit = errors.New("ev: grid connection exhausted")

// Contactor switches one outlet.
type Contactor interface {
	Close(ctx context.Context, outlet string) error
	Open(outlet string) error
}

// Session is a running charge.
type Session struct {
	ID      uint64
	Outlet  string
	Watts   int64
	Started time.Time
}

// Site is a group of chargers behind one grid connection.
type Site struct {
	name  string
	limit int64
	hw    Contactor
	log   *slog.Logger

	nextID atomic.Uint64
	drawn  atomic.Int64

	mu       sync.Mutex
	sessions map[uint64]*Session
}

// NewSite returns a site which may draw up to limit watts.
func NewSite(name string, limit int64, hw Contactor, log *slog.Logger) *Site {
	return &Site{
		name:     name,
		limit:    limit,
		hw:       hw,
		log:      log.With("site", name),
		sessions: make(map[uint64]*Session),
	}
}

// Begin starts a session on the outlet.
func (s *Site) Begin(ctx context.Context, outlet string, watts int64) (*Session, error) {
	if err := s.reserve(watts); err != nil {
		return nil, err
	}
	if err := s.hw.Close(ctx, outlet); err != nil {
		s.drawn.Add(-watts)
		return nil, fmt.Errorf("outlet %s: %w", outlet, err)
	}
	sess := &Session{ID: s.nextID.Add(1), Outlet: outlet, Watts: watts, Started: time.Now()}
	s.mu.Lock()
	s.sessions[sess.ID] = sess
	s.mu.Unlock()
	s.log.Info("session started", "id", sess.ID, "outlet", outlet, "watts", watts)
	return sess, nil
}

// reserve sets aside the power for a new session.
func (s *Site) reserve(watts int64) error {
	for {
		drawn := s.drawn.Load()
		if drawn+watts > s.limit {
			s.log.Warn("session refused", "drawn", drawn, "watts", watts)
			return ErrGridLimit
		}
		if s.drawn.CompareAndSwap(drawn, drawn+watts) {
			return nil
		}
	}
}

// End stops a session and frees its power.
func (s *Site) End(id uint64) error {
	s.mu.Lock()
	sess, ok := s.sessions[id]
	delete(s.sessions, id)
	s.mu.Unlock()
	if !ok {
		return fmt.Errorf("ev: session %d not running", id)
	}
	err := s.hw.Open(sess.Outlet)
	s.drawn.Add(-sess.Watts)
	s.log.Info("session ended", "id", id, "lasted", time.Since(sess.Started))
	return err
}

// Drawn returns the power in use or reserved, for the dashboard.
func (s *Site) Drawn() int64 { return s.drawn.Load() }

// ServeRequests starts the sessions asked for on the channel.
func (s *Site) ServeRequests(ctx context.Context, reqs <-chan Session) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case r, ok := <-reqs:
			if !ok {
				return
			}
			wg.Add(1)
			go func() {
				defer wg.Done()
				if _, err := s.Begin(ctx, r.Outlet, r.Watts); err != nil {
					s.log.Error("begin", "outlet", r.Outlet, "err", err)
				}
			}()
		}
	}
}
