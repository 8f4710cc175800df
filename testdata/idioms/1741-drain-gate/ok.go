package a

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var errDraining = errors.New("listener is draining")

type phase int32

const (
	serving phase = iota
	draining
	closed
)

// gate lets requests in until it is shut. wg.Add is called under the read
// lock, so that none comes after shut has returned.
type gate struct {
	mu   sync.RWMutex
	shut bool
	wg   sync.WaitGroup
}

func (g *gate) enter() bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.shut {
		return false
	}
	g.wg.Add(1)
	return true
}

func (g *gate) leave() { g.wg.Done() }

func (g *gate) close() {
	g.mu.Lock()
	g.shut = true
	g.mu.Unlock()
}

// upstream is the pool of connections to the backends.
type upstream interface {
	Forward(ctx context.Context, path string) error
	Close() error
}

// listener is a proxy front end that can be drained.
type listener struct {
	gate
	up      upstream
	phase   atomic.Int32
	served  atomic.Int64
	refused atomic.Int64
	idle    chan struct{}
	gone    chan struct{}
}

func newListener(up upstream) *listener {
	return &listener{up: up, idle: make(chan struct{}), gone: make(chan struct{})}
}

// Phase is what the health check shows to the load balancer.
func (l *listener) Phase() phase { return phase(l.phase.Load()) }

// Serve forwards one request. The phase is asked first only to spare the gate
// during a long drain.
func (l *listener) Serve(ctx context.Context, path string) error {
	if l.Phase() != serving || !l.enter() {
		l.refused.Add(1)
		return errDraining
	}
	defer l.leave()
	err := l.up.Forward(ctx, path)
	if err == nil {
		l.served.Add(1)
	}
	return err
}

// Drain refuses new requests and waits for those that are inside. Several
// callers may drain; the first one does the work.
func (l *listener) Drain(ctx context.Context) error {
	if l.phase.CompareAndSwap(int32(serving), int32(draining)) {
		l.gate.close()
		go func() {
			l.wg.Wait()
			close(l.idle)
		}()
	}
	select {
	case <-l.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close drains and closes the upstream. Who finds that it is being closed by
// another one waits for that.
func (l *listener) Close(ctx context.Context) error {
	if err := l.Drain(ctx); err != nil {
		return err
	}
	if !l.phase.CompareAndSwap(int32(draining), int32(closed)) {
		select {
		case <-l.gone:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer close(l.gone)
	return l.up.Close()
}

// Stats tells the numbers of requests.
func (l *listener) Stats() (served, refused int64) {
	return l.served.Load(), l.refused.Load()
}
