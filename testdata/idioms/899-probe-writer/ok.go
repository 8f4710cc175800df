// Package health probes the backends of a load balancer and tells which of
// them can be used.
package health

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// ErrNoBackend is returned when all backends are down.
var ErrNoBackend = errors.New("health: no backend is up")

// Status is what is known of one backend.
type Status struct {
	Up     bool
	Streak int // probes in a row that contradict Up
	Since  time.Time
	Err    error // of the latest probe
}

// Prober checks a backend.
type Prober interface {
	Probe(ctx context.Context, addr string) error
}

// TCP is a Prober that opens a connection.
type TCP struct{ Dialer net.Dialer }

// Probe implements Prober.
func (t *TCP) Probe(ctx context.Context, addr string) error {
	c, err := t.Dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return c.Close()
}

// Thresholds say how many probes in a row change the state of a backend.
type Thresholds struct {
	Rise int
	Fall int
}

// Monitor holds the status of a fixed set of backends. Request handlers call
// its methods concurrently.
type Monitor struct {
	addrs   []string
	prober  Prober
	limits  Thresholds
	timeout time.Duration

	mu     sync.RWMutex
	status map[string]Status // written by the probe goroutine alone
}

// Start returns a monitor whose probe goroutine runs until ctx ends. Backends
// are taken to be up until probes say otherwise.
func Start(ctx context.Context, addrs []string, p Prober, limits Thresholds, every time.Duration) *Monitor {
	m := &Monitor{
		addrs:   append([]string(nil), addrs...),
		prober:  p,
		limits:  limits,
		timeout: every / 2,
		status:  make(map[string]Status, len(addrs)),
	}
	now := time.Now()
	for _, a := range m.addrs {
		m.status[a] = Status{Up: true, Since: now}
	}
	go m.probeLoop(ctx, every)
	return m
}

// Status returns what is known of the backend.
func (m *Monitor) Status(addr string) (Status, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	s, ok := m.status[addr]
	return s, ok
}

// Pick returns a backend that is up, at random.
func (m *Monitor) Pick() (string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	up := make([]string, 0, len(m.addrs))
	for _, a := range m.addrs {
		if m.status[a].Up {
			up = append(up, a)
		}
	}
	if len(up) == 0 {
		return "", ErrNoBackend
	}
	return up[rand.IntN(len(up))], nil
}

func (m *Monitor) probeLoop(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			for _, a := range m.addrs {
				m.probe(ctx, a, now)
			}
		case <-ctx.Done():
			return
		}
	}
}

// probe checks one backend and brings its status up to date.
func (m *Monitor) probe(ctx context.Context, addr string, now time.Time) {
	s, _ := m.Status(addr)
	pctx, cancel := context.WithTimeout(ctx, m.timeout)
	s.Err = m.prober.Probe(pctx, addr)
	cancel()
	if ctx.Err() != nil {
		return
	}
	if ok := s.Err == nil; ok == s.Up {
		s.Streak = 0
	} else {
		s.Streak++
		if (ok && s.Streak >= m.limits.Rise) || (!ok && s.Streak >= m.limits.Fall) {
			s.Up, s.Streak, s.Since = ok, 0, now
		}
	}
	m.set(addr, s)
}

func (m *Monitor) set(addr string, s Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status[addr] = s
}
