// Package agent collects samples on a machine and ships them in batches.
package agent

import (
	"context"
	"encoding/json"
	"log"
	"sync"
	"time"
)

// Sample is one measured value.
type Sample struct {
	Name  string    `json:"name"`
	Value float64   `json:"value"`
	At    time.Time `json:"at"`
}

// Uplink delivers an encoded batch.
type Uplink interface {
	Send(ctx context.Context, payload []byte) error
}

type Options struct {
	MaxPending int
	BatchSize  int
	Interval   time.Duration
}

// Agent buffers samples until the uplink has taken them.
type Agent struct {
	uplink Uplink
	opts   Options
	kick   chan struct{}

	mu       sync.Mutex
	pending  []Sample
	dropped  int
	failures int
	lastShip time.Time
}

func New(uplink Uplink, opts Options) *Agent {
	return &Agent{
		uplink:  uplink,
		opts:    opts,
		kick:    make(chan struct{}, 1),
		pending: make([]Sample, 0, opts.BatchSize),
	}
}

// Record takes a sample; it never blocks on the network.
func (a *Agent) Record(s Sample) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.pending) >= a.opts.MaxPending {
		a.dropped++
		return false
	}
	a.pending = append(a.pending, s)
	if len(a.pending) >= a.opts.BatchSize {
		select {
		case a.kick <- struct{}{}:
		default:
		}
	}
	return true
}

// Run ships until the context ends. All shipping happens in this goroutine.
func (a *Agent) Run(ctx context.Context) {
	t := time.NewTicker(a.opts.Interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			a.ship(last)
			cancel()
			return
		case <-t.C:
		case <-a.kick:
		}
		a.ship(ctx)
	}
}

// ship delivers what is pending; after a failure the samples are kept for the
// next attempt.
func (a *Agent) ship(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.pending)
	if n == 0 {
		return
	}
	if err := a.deliverLocked(ctx, a.pending); err != nil {
		a.failures++
		log.Printf("agent: %d samples kept: %v", len(a.pending), err)
		return
	}
	a.pending = append(a.pending[:0], a.pending[n:]...)
	a.failures = 0
	a.lastShip = time.Now()
}

// deliverLocked encodes the batch and sends it.
func (a *Agent) deliverLocked(ctx context.Context, batch []Sample) error {
	payload, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	a.mu.Unlock()
	defer a.mu.Lock()
	return a.uplink.Send(ctx, payload)
}

// Health is shown on the status page of the agent.
func (a *Agent) Health() (pending, dropped, failures int, last time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.pending), a.dropped, a.failures, a.lastShip
}
