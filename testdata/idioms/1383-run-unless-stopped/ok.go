package idiom1383

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// healthChecks runs background checks that can be stopped together.
type healthChecks struct {
	ctx    context.Context
	cancel func()

	mu        sync.Mutex
	isStopped bool
	wg        sync.WaitGroup
}

func newHealthChecks() *healthChecks {
	ctx, cancel := context.WithCancel(context.Background())
	return &healthChecks{ctx: ctx, cancel: cancel}
}

func (hc *healthChecks) run(f func()) bool {
	hc.mu.Lock()
	defer hc.mu.Unlock()
	if hc.isStopped {
		return false
	}
	hc.wg.Add(1)
	go func() {
		defer hc.wg.Done()
		f()
	}()
	return true
}

func (hc *healthChecks) stop() {
	hc.mu.Lock()
	hc.isStopped = true
	hc.mu.Unlock()
	hc.cancel()
	hc.wg.Wait()
}

type backend struct {
	addr   string
	broken atomic.Bool
	hc     *healthChecks
}

func (b *backend) isBroken() bool { return b.broken.Load() }

// setBroken starts a check once; the check ends by clearing the flag. After
// stop the backend stays broken, it is not used any more.
func (b *backend) setBroken() {
	if b.broken.CompareAndSwap(false, true) {
		b.hc.run(func() {
			if b.waitHealthy() {
				b.broken.Store(false)
			}
		})
	}
}

func (b *backend) waitHealthy() bool {
	t := time.NewTicker(3 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			ctx, cancel := context.WithTimeout(b.hc.ctx, time.Second)
			var d net.Dialer
			c, err := d.DialContext(ctx, "tcp", b.addr)
			cancel()
			if err == nil {
				c.Close()
				return true
			}
		case <-b.hc.ctx.Done():
			return false
		}
	}
}

// Backends is a set of addresses with common health checks.
type Backends struct {
	hc  *healthChecks
	bes []*backend
}

// NewBackends returns backends for addrs.
func NewBackends(addrs ...string) *Backends {
	bs := &Backends{hc: newHealthChecks()}
	for _, a := range addrs {
		bs.bes = append(bs.bes, &backend{addr: a, hc: bs.hc})
	}
	return bs
}

// Report marks a backend after a failed request.
func (bs *Backends) Report(i int) { bs.bes[i].setBroken() }

// Close stops the checks.
func (bs *Backends) Close() { bs.hc.stop() }
