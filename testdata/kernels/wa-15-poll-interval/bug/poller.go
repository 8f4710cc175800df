package poller

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// Poller fetches something at an interval that can be changed at any time; an
// interval of zero pauses it.
type Poller struct {
	every   atomic.Int64
	changed chan struct{}
	fetch   func(context.Context) error
	misses  atomic.Int32
}

func New(every time.Duration, fetch func(context.Context) error) *Poller {
	p := &Poller{changed: make(chan struct{}, 1), fetch: fetch}
	p.every.Store(int64(every))
	return p
}

// SetInterval changes the interval.
func (p *Poller) SetInterval(d time.Duration) {
	p.every.Store(int64(max(d, 0)))
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// Interval returns the interval in force.
func (p *Poller) Interval() time.Duration {
	return time.Duration(p.every.Load())
}

// Misses counts the fetches that failed.
func (p *Poller) Misses() int { return int(p.misses.Load()) }

// session polls until the interval changes.
func (p *Poller) session(ctx context.Context) {
	var due <-chan time.Time
	if p.Interval() > 0 {
		t := time.NewTicker(p.Interval())
		defer t.Stop()
		due = t.C
	}
	for {
		select {
		case <-due:
			if err := p.fetch(ctx); err != nil {
				p.misses.Add(1)
				slog.Info("poll", "err", err)
			}
		case <-p.changed:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Run polls until ctx ends.
func (p *Poller) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		p.session(ctx)
	}
	return ctx.Err()
}
