// Package proxy forwards TCP sessions to backends which come and go.
package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrNoBackend is returned when nothing can take a session.
var ErrNoBackend = errors.New("proxy: no backend")

// Pool is the set of backends.
type Pool struct {
	mu       sync.RWMutex
	backends []*Backend
}

// Add puts a backend into rotation.
func (p *Pool) Add(addr string, d Dialer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.backends = append(slices.Clone(p.backends), &Backend{Addr: addr, dialer: d})
}

// Remove takes a backend out, lets its sessions finish and closes it.
func (p *Pool) Remove(ctx context.Context, addr string) error {
	p.mu.Lock()
	i := slices.IndexFunc(p.backends, func(b *Backend) bool { return b.Addr == addr })
	if i < 0 {
		p.mu.Unlock()
		return ErrNoBackend
	}
	b := p.backends[i]
	p.backends = slices.Delete(slices.Clone(p.backends), i, i+1)
	p.mu.Unlock()

	err := b.idle(ctx)
	return errors.Join(err, b.dialer.Close())
}

// choose returns the backend with the fewest sessions.
func (p *Pool) choose() (*Backend, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	var best *Backend
	for _, b := range p.backends {
		if best == nil || b.active.Load() < best.active.Load() {
			best = b
		}
	}
	if best == nil {
		return nil, ErrNoBackend
	}
	return best, nil
}

// Load returns the sessions of each backend.
func (p *Pool) Load() map[string]int64 {
	p.mu.RLock()
	bs := p.backends
	p.mu.RUnlock()
	out := make(map[string]int64, len(bs))
	for _, b := range bs {
		out[b.Addr] = b.active.Load()
	}
	return out
}

// Proxy accepts sessions.
type Proxy struct {
	Pool   Pool
	failed atomic.Int64
}

// Serve accepts from l until it is closed.
func (x *Proxy) Serve(ctx context.Context, l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			return err
		}
		go func() {
			if err := x.serve(ctx, c); err != nil {
				x.failed.Add(1)
			}
		}()
	}
}

func (x *Proxy) serve(ctx context.Context, c net.Conn) error {
	defer c.Close()
	b, err := x.Pool.choose()
	if err != nil {
		return err
	}
	b.enter()
	defer b.exit()
	up, err := b.dialer.Dial(ctx)
	if err != nil {
		return err
	}
	defer up.Close()
	return splice(c, up)
}

func splice(a, b net.Conn) error {
	errs := make(chan error, 2)
	pipe := func(dst, src net.Conn) {
		_, err := io.Copy(dst, src)
		errs <- err
	}
	go pipe(a, b)
	go pipe(b, a)
	err := <-errs
	a.Close()
	b.Close()
	<-errs
	return err
}

// Failed returns the sessions which ended with an error.
func (x *Proxy) Failed() int64 { return x.failed.Load() }
