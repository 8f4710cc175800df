package gate

import (
	"context"
	"errors"
	"net/http"
	"sync"
)

var ErrDraining = errors.New("gate: draining")

// Gate counts the requests under way so that a drain can wait for them.
type Gate struct {
	mu      sync.Mutex
	cond    *sync.Cond
	active  int
	tracing bool
	trace   func(path string) (end func())
}

func New(trace func(string) func()) *Gate {
	g := &Gate{trace: trace}
	g.cond = sync.NewCond(&g.mu)
	return g
}

func (g *Gate) locked(f func()) {
	g.mu.Lock()
	f()
	g.mu.Unlock()
}

// Trace switches tracing of requests on or off.
func (g *Gate) Trace(on bool) { g.locked(func() { g.tracing = on }) }

func (g *Gate) traced() (yes bool) {
	g.locked(func() { yes = g.tracing })
	return
}

// Wrap returns next guarded by the gate.
func (g *Gate) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.locked(func() { g.active++ })
		defer g.locked(func() {
			g.active--
			g.cond.Broadcast()
		})
		g.serve(next, w, r)
	})
}

func (g *Gate) serve(next http.Handler, w http.ResponseWriter, r *http.Request) {
	var end func()
	if g.traced() {
		end = g.trace(r.URL.Path)
	}
	next.ServeHTTP(w, r)
	if end == nil {
		return
	}
	end()
}

// Drain waits until no request is under way.
func (g *Gate) Drain(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { g.locked(g.cond.Broadcast) })
	defer stop()
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.active > 0 {
		if ctx.Err() != nil {
			return ErrDraining
		}
		g.cond.Wait()
	}
	return nil
}
