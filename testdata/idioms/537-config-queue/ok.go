// Package ok changes the configuration of a program through one goroutine.
package ok

import (
	"context"
	"errors"
	"sync"
)

var errStopped = errors.New("configuration service is stopped")

// Device is a known remote.
type Device struct {
	Name   string
	Addrs  []string
	Paused bool
}

// Config is the whole configuration.
type Config struct {
	Version int
	Devices map[string]Device
}

func (c Config) clone() Config {
	n := c
	n.Devices = make(map[string]Device, len(c.Devices))
	for k, d := range c.Devices {
		d.Addrs = append([]string(nil), d.Addrs...)
		n.Devices[k] = d
	}
	return n
}

// Check may refuse a change.
type Check func(from, to Config) error

// Committer is told of changes on the goroutine of Serve.
type Committer interface {
	Commit(from, to Config)
}

type change struct {
	fn  func(*Config)
	res chan error
}

// Service holds the configuration.
type Service struct {
	queue  chan change
	done   chan struct{}
	checks []Check

	mu   sync.Mutex
	cfg  Config
	subs []Committer
}

// NewService returns a service; Serve must run once.
func NewService(cfg Config, checks ...Check) *Service {
	return &Service{cfg: cfg.clone(), checks: checks, queue: make(chan change), done: make(chan struct{})}
}

// Current returns a copy.
func (s *Service) Current() Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cfg.clone()
}

// Subscribe adds a committer and returns what is valid until its first Commit.
func (s *Service) Subscribe(c Committer) Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subs = append(s.subs, c)
	return s.cfg.clone()
}

// Modify applies fn to a copy and waits for the outcome.
func (s *Service) Modify(fn func(*Config)) error {
	ch := change{fn: fn, res: make(chan error, 1)}
	select {
	case s.queue <- ch:
		return <-ch.res
	case <-s.done:
		return errStopped
	}
}

// Serve carries out changes one after the other.
func (s *Service) Serve(ctx context.Context) {
	defer close(s.done)
	for {
		select {
		case ch := <-s.queue:
			ch.res <- s.apply(ch.fn)
		case <-ctx.Done():
			return
		}
	}
}

func (s *Service) apply(fn func(*Config)) error {
	from := s.Current()
	to := from.clone()
	fn(&to)
	to.Version = from.Version + 1

	for _, check := range s.checks {
		if err := check(from.clone(), to.clone()); err != nil {
			return err
		}
	}

	s.mu.Lock()
	s.cfg = to.clone()
	subs := append([]Committer(nil), s.subs...)
	s.mu.Unlock()
	for _, c := range subs {
		c.Commit(from.clone(), to.clone())
	}
	return nil
}

// SetPaused is an example of a change.
func (s *Service) SetPaused(id string, paused bool) error {
	if d, ok := s.Current().Devices[id]; ok && d.Paused == paused {
		return nil
	}
	return s.Modify(func(c *Config) {
		d, ok := c.Devices[id]
		if !ok {
			return
		}
		d.Paused = paused
		c.Devices[id] = d
	})
}
