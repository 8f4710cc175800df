// Package runners lends build machines to pipelines.
package runners

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrClosed is returned when the pool is shut down.
var ErrClosed = errors.New("runners: pool closed")

type status string

const (
	ready    status = "ready"
	reserved status = "reserved"
	broken   status = "broken"
	cleaning status = "cleaning"
)

// Machine runs one pipeline at a time.
type Machine struct {
	Host string

	mu     sync.Mutex
	status status
	uses   int
}

func (m *Machine) get() status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.status
}

func (m *Machine) move(from, to status) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.status != from {
		return false
	}
	m.status = to
	return true
}

func (m *Machine) bump() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uses++
	return m.uses
}

// Pool is a set of machines.
type Pool struct {
	maxUses int
	reset   func(ctx context.Context, host string) error

	mu       sync.Mutex
	machines []*Machine
	freed    chan struct{}
	closed   bool
}

// NewPool returns a pool; reset is called after maxUses pipelines on a machine.
func NewPool(hosts []string, maxUses int, reset func(ctx context.Context, host string) error) *Pool {
	p := &Pool{maxUses: maxUses, reset: reset, freed: make(chan struct{})}
	for _, h := range hosts {
		p.machines = append(p.machines, &Machine{Host: h, status: ready})
	}
	return p
}

// snapshot returns the machines and a channel which is closed at the next change.
func (p *Pool) snapshot() ([]*Machine, <-chan struct{}, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, ErrClosed
	}
	return p.machines, p.freed, nil
}

func (p *Pool) announce() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.freed)
	p.freed = make(chan struct{})
}

// Acquire waits for a machine.
func (p *Pool) Acquire(ctx context.Context) (*Machine, error) {
	for {
		ms, freed, err := p.snapshot()
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if m.get() != ready {
				continue
			}
			if m.move(ready, reserved) {
				return m, nil
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-freed:
		}
	}
}

// Release gives a machine back; it is called by who acquired it.
func (p *Pool) Release(ctx context.Context, m *Machine) {
	if n := m.bump(); p.maxUses > 0 && n%p.maxUses == 0 {
		if err := p.reset(ctx, m.Host); err != nil {
			m.move(reserved, broken)
			return
		}
	}
	m.move(reserved, ready)
	p.announce()
}

// Run runs a pipeline on any machine.
func (p *Pool) Run(ctx context.Context, pipeline func(ctx context.Context, host string) error) error {
	m, err := p.Acquire(ctx)
	if err != nil {
		return err
	}
	defer p.Release(context.WithoutCancel(ctx), m)
	return pipeline(ctx, m.Host)
}

// Add puts another machine into the pool.
func (p *Pool) Add(host string) {
	p.mu.Lock()
	p.machines = append(p.machines[:len(p.machines):len(p.machines)], &Machine{Host: host, status: ready})
	p.mu.Unlock()
	p.announce()
}

// Close refuses further pipelines.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.announce()
}

// Repair resets broken machines until ctx is done.
func (p *Pool) Repair(ctx context.Context, every time.Duration) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
		ms, _, err := p.snapshot()
		if err != nil {
			return
		}
		for _, m := range ms {
			if m.get() != broken || !m.move(broken, cleaning) {
				continue
			}
			if err := p.reset(ctx, m.Host); err != nil {
				m.move(cleaning, broken)
				continue
			}
			m.move(cleaning, ready)
			p.announce()
		}
	}
}

// Ready counts machines which could be acquired.
func (p *Pool) Ready() (n int) {
	ms, _, err := p.snapshot()
	if err != nil {
		return 0
	}
	for _, m := range ms {
		if m.get() == ready {
			n++
		}
	}
	return n
}
