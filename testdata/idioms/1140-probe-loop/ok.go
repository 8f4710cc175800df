// Package prober watches the health of targets.
//
// Correct: only the goroutine of Run ever writes the table (Run refuses to be
// started twice, and Add and Remove hand their change to it), so that what it
// read before a probe cannot have changed when it writes afterwards. The lock
// is there for the readers.
package prober

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var ErrRunning = errors.New("prober: already started")

type Health struct {
	Up       bool
	Failures int
	Since    time.Time
}

type Probe func(ctx context.Context, target string) error

type change struct {
	target string
	add    bool
}

type Prober struct {
	probe     Probe
	threshold int
	changes   chan change
	started   atomic.Bool
	done      chan struct{}

	mu    sync.RWMutex
	table map[string]Health
}

func New(probe Probe, threshold int) *Prober {
	return &Prober{
		probe:     probe,
		threshold: threshold,
		changes:   make(chan change, 16),
		done:      make(chan struct{}),
		table:     make(map[string]Health),
	}
}

func (p *Prober) Add(target string)    { p.send(change{target, true}) }
func (p *Prober) Remove(target string) { p.send(change{target, false}) }

func (p *Prober) send(c change) {
	select {
	case p.changes <- c:
	case <-p.done: // nobody watches any more
	}
}

func (p *Prober) Run(ctx context.Context, every time.Duration) error {
	if !p.started.CompareAndSwap(false, true) {
		return ErrRunning
	}
	defer close(p.done)
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case c := <-p.changes:
			p.apply(c)
		case now := <-t.C:
			for _, target := range p.Targets() {
				p.check(ctx, target, now)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p *Prober) apply(c change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !c.add {
		delete(p.table, c.target)
	} else if _, ok := p.table[c.target]; !ok {
		p.table[c.target] = Health{Since: time.Now()}
	}
}

func (p *Prober) check(ctx context.Context, target string, now time.Time) {
	h, ok := p.Health(target)
	if !ok {
		return
	}
	was := h.Up
	if err := p.probe(ctx, target); err != nil {
		h.Failures++
		if h.Failures >= p.threshold {
			h.Up = false
		}
	} else {
		h.Failures, h.Up = 0, true
	}
	if h.Up != was {
		h.Since = now
	}
	p.mu.Lock()
	p.table[target] = h
	p.mu.Unlock()
}

func (p *Prober) Health(target string) (Health, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	h, ok := p.table[target]
	return h, ok
}

func (p *Prober) Targets() []string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	out := make([]string, 0, len(p.table))
	for target := range p.table {
		out = append(out, target)
	}
	return out
}
