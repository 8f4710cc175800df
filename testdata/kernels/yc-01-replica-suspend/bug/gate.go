// Package warmgate keeps a serverless read replica awake while queries use it
// and suspends it after a quiet period, so that an idle tenant costs nothing.
package warmgate

import (
	"context"
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by Begin once the gate has been closed.
var ErrClosed = errors.New("warmgate: closed")

// Replica is the compute endpoint behind the gate. Suspend cuts every open
// session of the endpoint; Resume returns when it accepts sessions again.
type Replica interface {
	Resume(ctx context.Context) error
	Suspend(ctx context.Context) error
}

// Options configures a Gate.
type Options struct {
	// QuietAfter is how long the replica has to be unused before it is suspended.
	QuietAfter time.Duration
	// CheckEvery is the interval of the quiet check.
	CheckEvery time.Duration
	// SuspendTimeout bounds a single Suspend call.
	SuspendTimeout time.Duration
}

// Gate counts the queries that use a replica. All methods are safe for
// concurrent use. A query is admitted without taking a lock as long as the
// replica is awake.
type Gate struct {
	replica Replica
	opts    Options

	running atomic.Int64 // queries between Begin and End
	lastEnd atomic.Int64 // unix nanoseconds of the latest End
	asleep  atomic.Bool

	switching sync.Mutex // held while the replica is resumed or suspended

	suspends atomic.Uint64
	closed   atomic.Bool
	quit     chan struct{}
	stopped  chan struct{}
}

// New returns a gate for an awake replica and starts its quiet check.
func New(r Replica, opts Options) *Gate {
	g := &Gate{
		replica: r,
		opts:    opts,
		quit:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
	g.lastEnd.Store(time.Now().UnixNano())
	go g.watch()
	return g
}

// Begin admits a query. When it returns nil the replica is awake and stays
// awake until the matching End.
func (g *Gate) Begin(ctx context.Context) error {
	if g.closed.Load() {
		return ErrClosed
	}
	g.running.Add(1)
	if !g.asleep.Load() {
		return nil
	}
	if err := g.wake(ctx); err != nil {
		g.running.Add(-1)
		return err
	}
	return nil
}

// End marks the end of a query admitted by Begin.
func (g *Gate) End() {
	g.lastEnd.Store(time.Now().UnixNano())
	g.running.Add(-1)
}

// Running returns the number of queries in flight.
func (g *Gate) Running() int64 { return g.running.Load() }

// Suspends returns how often the replica has been suspended.
func (g *Gate) Suspends() uint64 { return g.suspends.Load() }

// Close stops the quiet check. The replica is left as it is.
func (g *Gate) Close() {
	if g.closed.Swap(true) {
		return
	}
	close(g.quit)
	<-g.stopped
}

// wake resumes the replica if it is still suspended.
func (g *Gate) wake(ctx context.Context) error {
	g.switching.Lock()
	defer g.switching.Unlock()
	if !g.asleep.Load() {
		return nil
	}
	if err := g.replica.Resume(ctx); err != nil {
		return err
	}
	g.asleep.Store(false)
	return nil
}

// watch runs the quiet check until the gate is closed.
func (g *Gate) watch() {
	defer close(g.stopped)
	tick := time.NewTicker(g.opts.CheckEvery)
	defer tick.Stop()
	for {
		select {
		case <-g.quit:
			return
		case <-tick.C:
			g.check()
		}
	}
}

// check suspends the replica when it has been quiet for long enough.
func (g *Gate) check() {
	if g.asleep.Load() || !g.quiet() {
		return
	}
	if err := g.sleep(); err != nil {
		log.Printf("warmgate: suspend: %v", err)
	}
}

// quiet reports whether no query runs and none has run for QuietAfter.
func (g *Gate) quiet() bool {
	if g.running.Load() > 0 {
		return false
	}
	return time.Since(time.Unix(0, g.lastEnd.Load())) >= g.opts.QuietAfter
}

// sleep suspends the replica.
func (g *Gate) sleep() error {
	g.switching.Lock()
	defer g.switching.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), g.opts.SuspendTimeout)
	defer cancel()
	if err := g.replica.Suspend(ctx); err != nil {
		return err
	}
	g.asleep.Store(true)
	g.suspends.Add(1)
	return nil
}
