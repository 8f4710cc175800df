package rollout

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"
)

const retryEvery = 30 * time.Second

// Broker sends the desired firmware of all groups to the devices.
type Broker interface {
	Publish(ctx context.Context, plan map[string]string) error
}

// Plan is the desired firmware version per device group. Operators change it
// through the API, one publisher goroutine tells the devices.
type Plan struct {
	broker Broker
	log    *slog.Logger
	wake   chan struct{}

	mu      sync.Mutex
	targets map[string]string
	held    map[string]bool
	dirty   bool // targets were changed since the last publication
}

func NewPlan(b Broker, log *slog.Logger) *Plan {
	return &Plan{
		broker:  b,
		log:     log,
		wake:    make(chan struct{}, 1),
		targets: make(map[string]string),
		held:    make(map[string]bool),
	}
}

// Assign sets the firmware of a group.
func (p *Plan) Assign(group, version string) {
	p.change(func() { p.targets[group] = version })
}

// Hold keeps a group on what it has, e.g. after crash reports.
func (p *Plan) Hold(group string) {
	p.change(func() { p.held[group] = true })
}

// Release ends a hold.
func (p *Plan) Release(group string) {
	p.change(func() { delete(p.held, group) })
}

func (p *Plan) change(fn func()) {
	p.mu.Lock()
	fn()
	p.dirty = true
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// outgoing returns a copy of the plan if there is something to publish, and
// takes the mark.
func (p *Plan) outgoing() (map[string]string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.dirty {
		return nil, false
	}
	out := maps.Clone(p.targets)
	for g := range p.held {
		delete(out, g)
	}
	p.dirty = false
	return out, true
}

func (p *Plan) setDirty() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dirty = true
}

// flush publishes the plan if it was changed; after an error the change is
// marked again and tried later.
func (p *Plan) flush(ctx context.Context) {
	out, ok := p.outgoing()
	if !ok {
		return
	}
	if err := p.broker.Publish(ctx, out); err != nil {
		p.log.Warn("publish failed", "err", err)
		p.setDirty()
	}
}

// run publishes changes until ctx ends.
func (p *Plan) run(ctx context.Context) {
	retry := time.NewTicker(retryEvery)
	defer retry.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		case <-retry.C:
		}
		p.flush(ctx)
	}
}

// Start runs the publisher in the background. It is called once.
func (p *Plan) Start(ctx context.Context) { go p.run(ctx) }
