// Package antenna shares control connections to the antennas of a site.
package antenna

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// ErrBadAngle is returned for directions below the horizon.
var ErrBadAngle = errors.New("antenna: bad angle")

// Dialer connects to a controller.
type Dialer func(ctx context.Context, site string) (io.ReadWriteCloser, error)

// control is a shared connection.
type control struct {
	site  string
	users atomic.Int32

	mu sync.Mutex
	rw io.ReadWriteCloser
}

// retain adds a user, unless the last one has left.
func (c *control) retain() bool {
	for {
		n := c.users.Load()
		if n == 0 {
			return false
		}
		if c.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (c *control) command(format string, args ...any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := fmt.Fprintf(c.rw, format+"\n", args...); err != nil {
		return err
	}
	var ack [2]byte
	if _, err := io.ReadFull(c.rw, ack[:]); err != nil {
		return err
	}
	if string(ack[:]) != "OK" {
		return fmt.Errorf("controller of %s: %q", c.site, ack)
	}
	return nil
}

// Pool holds the connections in use.
type Pool struct {
	dial     Dialer
	log      *slog.Logger
	controls sync.Map // site to *control
}

// NewPool returns an empty pool.
func NewPool(d Dialer, log *slog.Logger) *Pool { return &Pool{dial: d, log: log} }

func (p *Pool) get(ctx context.Context, site string) (*control, error) {
	for {
		if v, ok := p.controls.Load(site); ok {
			if c := v.(*control); c.retain() {
				return c, nil
			}
			runtime.Gosched()
			continue
		}
		rw, err := p.dial(ctx, site)
		if err != nil {
			return nil, fmt.Errorf("dial %s: %w", site, err)
		}
		c := &control{site: site, rw: rw}
		c.users.Store(1)
		if _, loaded := p.controls.LoadOrStore(site, c); !loaded {
			return c, nil
		}
		_ = rw.Close()
	}
}

func (p *Pool) put(c *control) {
	if c.users.Add(-1) > 0 {
		return
	}
	p.controls.CompareAndDelete(c.site, c)
	if err := c.rw.Close(); err != nil {
		p.log.Warn("close", "site", c.site, "err", err)
	}
}

// Direction is where to point to.
type Direction struct{ Azimuth, Elevation float64 }

// Point turns an antenna.
func (p *Pool) Point(ctx context.Context, site string, d Direction) error {
	if d.Elevation < 0 || d.Elevation > 90 {
		return ErrBadAngle
	}
	c, err := p.get(ctx, site)
	if err != nil {
		return err
	}
	defer p.put(c)
	return c.command("AZ%.2f EL%.2f", d.Azimuth, d.Elevation)
}

// Track follows a satellite until ctx is done.
func (p *Pool) Track(ctx context.Context, site string, at func(time.Time) Direction) error {
	c, err := p.get(ctx, site)
	if err != nil {
		return err
	}
	defer p.put(c)
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return c.command("STOW")
		case now := <-tick.C:
			d := at(now)
			if err := c.command("AZ%.2f EL%.2f", d.Azimuth, d.Elevation); err != nil {
				return err
			}
		}
	}
}
