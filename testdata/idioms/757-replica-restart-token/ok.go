// Package rollout restarts the replicas of a tile service so that enough of
// them serve at any time.
package rollout

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Errors of a rollout.
var (
	ErrQuorum = errors.New("rollout: too few replicas would serve")
	ErrPaused = errors.New("rollout: replica is being restarted")
)

// Process is a replica's process.
type Process interface {
	Restart(ctx context.Context) error
}

// replica has its own lock; health checks update single replicas.
type replica struct {
	name string
	proc Process

	mu      sync.RWMutex
	serving bool
	paused  bool
	checked time.Time
}

func (r *replica) available() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.serving && !r.paused
}

func (r *replica) pause() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paused {
		return false
	}
	r.paused = true
	return true
}

func (r *replica) resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paused = false
}

func (r *replica) report(ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.serving, r.checked = ok, time.Now()
}

// Group is the set of replicas of a service.
type Group struct {
	quorum   int
	replicas []*replica
	turn     chan struct{}
	log      *slog.Logger
}

// New returns a group that keeps quorum replicas available.
func New(quorum int, procs map[string]Process, log *slog.Logger) *Group {
	g := &Group{quorum: quorum, turn: make(chan struct{}, 1), log: log}
	for name, p := range procs {
		g.replicas = append(g.replicas, &replica{name: name, proc: p, serving: true})
	}
	return g
}

// Report takes the result of a health check.
func (g *Group) Report(name string, ok bool) {
	for _, r := range g.replicas {
		if r.name == name {
			r.report(ok)
		}
	}
}

// Pick returns the names of the replicas that may get requests.
func (g *Group) Pick() []string {
	var names []string
	for _, r := range g.replicas {
		if r.available() {
			names = append(names, r.name)
		}
	}
	return names
}

func (g *Group) besides(r *replica) int {
	n := 0
	for _, o := range g.replicas {
		if o != r && o.available() {
			n++
		}
	}
	return n
}

// withdraw takes a replica out of service if it can be spared.
func (g *Group) withdraw(ctx context.Context, r *replica) error {
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-g.turn }()
	if n := g.besides(r); n < g.quorum {
		return fmt.Errorf("%w: %s, %d others", ErrQuorum, r.name, n)
	}
	if !r.pause() {
		return fmt.Errorf("%w: %s", ErrPaused, r.name)
	}
	return nil
}

func (g *Group) restart(ctx context.Context, r *replica) error {
	if err := g.withdraw(ctx, r); err != nil {
		return err
	}
	defer r.resume()
	if err := r.proc.Restart(ctx); err != nil {
		r.report(false)
		return fmt.Errorf("restart %s: %w", r.name, err)
	}
	g.log.Info("replica restarted", "name", r.name)
	return nil
}

// Roll restarts all replicas, each as soon as it can be spared.
func (g *Group) Roll(ctx context.Context, retry time.Duration) error {
	errs := make([]error, len(g.replicas))
	var wg sync.WaitGroup
	for i, r := range g.replicas {
		wg.Go(func() {
			for {
				errs[i] = g.restart(ctx, r)
				if !errors.Is(errs[i], ErrQuorum) {
					return
				}
				select {
				case <-ctx.Done():
					return
				case <-time.After(retry):
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
