// Package health runs the checks of the services on one host.
package health

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrDuplicate is returned for a check id that is in use.
var ErrDuplicate = errors.New("health: check already defined")

// Registry is a map that may be used by several goroutines.
type Registry[K comparable, V any] struct {
	mu    sync.Mutex
	items map[K]V
}

// NewRegistry returns an empty registry.
func NewRegistry[K comparable, V any]() *Registry[K, V] {
	return &Registry[K, V]{items: make(map[K]V)}
}

// PutIfAbsent stores v under k unless there is an item already.
func (r *Registry[K, V]) PutIfAbsent(k K, v V) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.items[k]; ok {
		return false
	}
	r.items[k] = v
	return true
}

// Take removes the item under k and hands it to the caller.
func (r *Registry[K, V]) Take(k K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.items[k]
	delete(r.items, k)
	return v, ok
}

// Reporter receives the outcome of every probe. Report must not call back
// into the Agent.
type Reporter interface {
	Report(id string, healthy bool, output string)
}

// Check describes one probe of a service.
type Check struct {
	ID        string
	Interval  time.Duration
	Timeout   time.Duration
	Threshold int
	Probe     func(ctx context.Context) error
}

type runner struct {
	check  Check
	report Reporter
	cancel context.CancelFunc
	done   chan struct{}
}

func (r *runner) loop(ctx context.Context) {
	defer close(r.done)
	t := time.NewTicker(r.check.Interval)
	defer t.Stop()
	fails := 0
	for ctx.Err() == nil {
		pctx, cancel := context.WithTimeout(ctx, r.check.Timeout)
		err := r.check.Probe(pctx)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			fails = 0
			r.report.Report(r.check.ID, true, "ok")
		default:
			fails++
			if fails >= r.check.Threshold {
				r.report.Report(r.check.ID, false, err.Error())
			}
		}
		select {
		case <-ctx.Done():
		case <-t.C:
		}
	}
}

// Agent owns the checks of this host. Its methods may be called from the
// HTTP handlers concurrently.
type Agent struct {
	ctx     context.Context
	report  Reporter
	runners *Registry[string, *runner]
}

// NewAgent returns an agent whose checks run until ctx ends.
func NewAgent(ctx context.Context, report Reporter) *Agent {
	return &Agent{ctx: ctx, report: report, runners: NewRegistry[string, *runner]()}
}

// AddCheck starts probing. A client that registers again after a lost reply
// gets ErrDuplicate and may ignore it.
func (a *Agent) AddCheck(c Check) error {
	if c.ID == "" || c.Interval <= 0 || c.Timeout <= 0 || c.Probe == nil {
		return errors.New("health: incomplete check")
	}
	ctx, cancel := context.WithCancel(a.ctx)
	r := &runner{check: c, report: a.report, cancel: cancel, done: make(chan struct{})}
	if !a.runners.PutIfAbsent(c.ID, r) {
		cancel()
		return ErrDuplicate
	}
	go r.loop(ctx)
	return nil
}

// RemoveCheck stops a check. No report for it is made after it returns.
func (a *Agent) RemoveCheck(id string) bool {
	r, ok := a.runners.Take(id)
	if !ok {
		return false
	}
	r.cancel()
	<-r.done
	return true
}
