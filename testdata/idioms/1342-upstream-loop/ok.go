// Package ok keeps the upstreams of a proxy.
package ok

import (
	"context"
	"errors"
	"maps"
	"sync/atomic"
	"time"
)

var (
	ErrDone = errors.New("upstreams: closed")
	ErrDup  = errors.New("upstreams: name in use")
)

// Upstream is one server behind the proxy.
type Upstream struct {
	Name string
	Addr string
}

// Prober tells whether a server answers.
type Prober func(ctx context.Context, u Upstream) bool

type table map[string]Upstream

type command struct {
	run   func(table) (table, error)
	reply chan error
}

// Set is read by every request and changed by one goroutine, loop.
type Set struct {
	probe    Prober
	current  atomic.Pointer[table]
	commands chan command
	done     chan struct{}
}

func NewSet(ctx context.Context, p Prober, every time.Duration) *Set {
	s := &Set{probe: p, commands: make(chan command), done: make(chan struct{})}
	s.current.Store(&table{})
	go s.loop(ctx, every)
	return s
}

func (s *Set) loop(ctx context.Context, every time.Duration) {
	defer close(s.done)
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case c := <-s.commands:
			c.reply <- s.update(c.run)
		case <-t.C:
			s.prune(ctx)
		case <-ctx.Done():
			return
		}
	}
}

func (s *Set) update(f func(table) (table, error)) error {
	next, err := f(maps.Clone(*s.current.Load()))
	if err != nil {
		return err
	}
	s.current.Store(&next)
	return nil
}

// prune drops the servers that do not answer.
func (s *Set) prune(ctx context.Context) {
	next := maps.Clone(*s.current.Load())
	for name, u := range *s.current.Load() {
		if !s.probe(ctx, u) && ctx.Err() == nil {
			delete(next, name)
		}
	}
	s.current.Store(&next)
}

func (s *Set) do(f func(table) (table, error)) error {
	c := command{run: f, reply: make(chan error, 1)}
	select {
	case s.commands <- c:
		return <-c.reply
	case <-s.done:
		return ErrDone
	}
}

// Add enters a server.
func (s *Set) Add(u Upstream) error {
	return s.do(func(t table) (table, error) {
		if _, ok := t[u.Name]; ok {
			return nil, ErrDup
		}
		t[u.Name] = u
		return t, nil
	})
}

// Remove takes a server out.
func (s *Set) Remove(name string) error {
	return s.do(func(t table) (table, error) {
		delete(t, name)
		return t, nil
	})
}

// Pick finds a server by name.
func (s *Set) Pick(name string) (Upstream, bool) {
	u, ok := (*s.current.Load())[name]
	return u, ok
}
