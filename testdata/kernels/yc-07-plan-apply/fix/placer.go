// Package placer assigns render sessions to GPU hosts. Placement decisions are
// made in parallel on immutable states of the cluster; a single goroutine
// applies the resulting changes one after the other.
package placer

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	// ErrNoRoom is returned when no host can take a session.
	ErrNoRoom = errors.New("placer: no host has enough free slots")
	// ErrExists is returned for a session that is placed already.
	ErrExists = errors.New("placer: session exists")
	// ErrUnknown is returned for a session that is not placed.
	ErrUnknown = errors.New("placer: unknown session")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("placer: closed")

	// errOutdated tells a planner that the cluster no longer matches its plan.
	errOutdated = errors.New("placer: plan is outdated")
)

// change derives the next state of the cluster from the current one.
type change func(*cluster) (*cluster, error)

type request struct {
	apply change
	reply chan error
}

// Placer is safe for concurrent use. A host never runs sessions that need
// more slots than it has.
type Placer struct {
	current  atomic.Pointer[cluster]
	requests chan request
	quit     chan struct{}
	once     sync.Once
}

// New returns a placer without hosts and starts its applier.
func New() *Placer {
	p := &Placer{requests: make(chan request), quit: make(chan struct{})}
	p.current.Store(&cluster{})
	go p.applier()
	return p
}

// Place chooses a host for a session and returns the host's name.
func (p *Placer) Place(s Session) (string, error) {
	for {
		host, ok := bestFit(p.current.Load(), s.Slots)
		if !ok {
			return "", ErrNoRoom
		}
		err := p.submit(func(c *cluster) (*cluster, error) {
			return c.assign(s, host)
		})
		if errors.Is(err, errOutdated) {
			continue
		}
		if err != nil {
			return "", err
		}
		return host, nil
	}
}

// Finish frees the slots of a session.
func (p *Placer) Finish(session string) error {
	return p.submit(func(c *cluster) (*cluster, error) {
		return c.unassign(session)
	})
}

// AddHost adds a host or changes the slots of a host that runs no session.
func (p *Placer) AddHost(name string, slots int) error {
	return p.submit(func(c *cluster) (*cluster, error) {
		return c.withHost(name, slots)
	})
}

// RemoveHost removes a host and ends the sessions it runs.
func (p *Placer) RemoveHost(name string) error {
	return p.submit(func(c *cluster) (*cluster, error) {
		return c.withoutHost(name), nil
	})
}

// Free returns the number of free slots of all hosts.
func (p *Placer) Free() int {
	free := 0
	for _, h := range p.current.Load().hosts {
		free += h.slots - h.used
	}
	return free
}

// Close stops the applier.
func (p *Placer) Close() {
	p.once.Do(func() { close(p.quit) })
}

// submit hands a change to the applier and waits for its result.
func (p *Placer) submit(apply change) error {
	r := request{apply: apply, reply: make(chan error, 1)}
	select {
	case p.requests <- r:
		return <-r.reply
	case <-p.quit:
		return ErrClosed
	}
}

// applier is the only goroutine that replaces the current state.
func (p *Placer) applier() {
	for {
		select {
		case <-p.quit:
			return
		case r := <-p.requests:
			next, err := r.apply(p.current.Load())
			if err == nil {
				p.current.Store(next)
			}
			r.reply <- err
		}
	}
}
