// Package drain lets a server finish its requests before it goes away.
package drain

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

type Drainer struct {
	active   atomic.Int64
	stopping atomic.Bool
	poll     time.Duration
}

func New(poll time.Duration) *Drainer { return &Drainer{poll: poll} }

// enter counts a request in, unless the server is stopping.
func (d *Drainer) enter() bool {
	d.active.Add(1)
	if d.stopping.Load() {
		d.leave()
		return false
	}
	return true
}

func (d *Drainer) leave() { d.active.Add(-1) }

func (d *Drainer) Active() int64 { return d.active.Load() }

// Shutdown turns new requests away and waits for the running ones.
func (d *Drainer) Shutdown(ctx context.Context) error {
	d.stopping.Store(true)
	tick := time.NewTicker(d.poll)
	defer tick.Stop()
	for d.Active() > 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (d *Drainer) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.enter() {
			w.Header().Set("Connection", "close")
			http.Error(w, "shutting down", http.StatusServiceUnavailable)
			return
		}
		defer d.leave()
		next.ServeHTTP(w, r)
	})
}

// Go runs background work that Shutdown waits for.
func (d *Drainer) Go(fn func()) bool {
	if !d.enter() {
		return false
	}
	go func() {
		defer d.leave()
		fn()
	}()
	return true
}
