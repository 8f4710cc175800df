// Package admission limits the calls in flight to each backend of an RPC
// client and lets backends be taken out of service without breaking calls.
package admission

import (
	"context"
	"errors"
	"sync/atomic"
)

var (
	// ErrOverloaded is returned when every backend in service is at its limit.
	ErrOverloaded = errors.New("admission: all backends are at their limit")
	// ErrDraining is returned by a second Drain of a backend.
	ErrDraining = errors.New("admission: backend is being drained")
)

// drainingBit marks a backend that takes no new calls. The bits below it count
// the calls in flight.
const drainingBit = uint64(1) << 32

// Backend is one server address with its call limit.
type Backend struct {
	addr  string
	limit uint64

	state   atomic.Uint64 // drainingBit and the calls in flight
	drained chan struct{} // closed when draining and no call is left
}

// NewBackend returns a backend in service.
func NewBackend(addr string, limit int) *Backend {
	return &Backend{addr: addr, limit: uint64(limit), drained: make(chan struct{})}
}

// Addr returns the address of the backend.
func (b *Backend) Addr() string { return b.addr }

// load returns the number of calls in flight and whether the backend takes more.
func (b *Backend) load() (inflight uint64, open bool) {
	s := b.state.Load()
	inflight = s &^ drainingBit
	return inflight, s&drainingBit == 0 && inflight < b.limit
}

// tryAdmit admits one call unless the backend is full or draining.
func (b *Backend) tryAdmit() bool {
	for {
		s := b.state.Load()
		if s&drainingBit != 0 || s >= b.limit {
			return false
		}
		if b.state.CompareAndSwap(s, s+1) {
			return true
		}
	}
}

// done ends a call admitted by tryAdmit.
func (b *Backend) done() {
	if b.state.Add(^uint64(0)) == drainingBit {
		close(b.drained)
	}
}

// Drain takes the backend out of service and waits for its calls to end.
func (b *Backend) Drain(ctx context.Context) error {
	for {
		s := b.state.Load()
		if s&drainingBit != 0 {
			return ErrDraining
		}
		if b.state.CompareAndSwap(s, s|drainingBit) {
			if s == 0 {
				close(b.drained)
			}
			break
		}
	}
	select {
	case <-b.drained:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Call is an admitted call.
type Call struct {
	backend *Backend
	ended   atomic.Bool
}

// Addr returns the address the call goes to.
func (c *Call) Addr() string { return c.backend.addr }

// End gives the place of the call back. Further Ends do nothing.
func (c *Call) End() {
	if !c.ended.Swap(true) {
		c.backend.done()
	}
}

// Picker spreads calls over a fixed list of backends. All methods of this
// package are safe for concurrent use.
type Picker struct {
	backends []*Backend
}

// NewPicker returns a picker for the backends.
func NewPicker(backends ...*Backend) *Picker {
	return &Picker{backends: backends}
}

// Pick admits a call to the backend with the fewest calls in flight.
func (p *Picker) Pick() (*Call, error) {
	for {
		b := p.leastLoaded()
		if b == nil {
			return nil, ErrOverloaded
		}
		if b.tryAdmit() {
			return &Call{backend: b}, nil
		}
		// The backend has filled up or started to drain; choose again.
	}
}

// leastLoaded returns the open backend with the fewest calls, or nil.
func (p *Picker) leastLoaded() *Backend {
	var best *Backend
	var fewest uint64
	for _, b := range p.backends {
		inflight, open := b.load()
		if open && (best == nil || inflight < fewest) {
			best, fewest = b, inflight
		}
	}
	return best
}
