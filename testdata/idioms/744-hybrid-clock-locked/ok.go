// Package hlc is the hybrid logical clock of a replicated meter database.
package hlc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Stamp is milliseconds in the upper 48 bits and a counter below.
type Stamp uint64

const counterBits = 16

func stampOf(t time.Time) Stamp { return Stamp(t.UnixMilli()) << counterBits }

// Time returns the physical part.
func (s Stamp) Time() time.Time { return time.UnixMilli(int64(s >> counterBits)) }

// ErrAhead is returned for stamps too far in the future.
var ErrAhead = errors.New("hlc: remote clock too far ahead")

// Clock hands out stamps. Readers that want a snapshot only need the last
// stamp, and there are many of them.
type Clock struct {
	wall   func() time.Time
	maxFwd time.Duration

	mu   sync.Mutex
	last atomic.Uint64
}

// New returns a clock that tolerates remote clocks maxFwd ahead.
func New(wall func() time.Time, maxFwd time.Duration) *Clock {
	return &Clock{wall: wall, maxFwd: maxFwd}
}

// Last returns the newest stamp.
func (c *Clock) Last() Stamp { return Stamp(c.last.Load()) }

// raise moves the clock to at least s.
func (c *Clock) raise(s Stamp) Stamp {
	if cur := Stamp(c.last.Load()); cur >= s {
		return cur
	}
	c.last.Store(uint64(s))
	return s
}

// bump returns a stamp above all others.
func (c *Clock) bump() Stamp {
	s := c.raise(stampOf(c.wall())) + 1
	c.last.Store(uint64(s))
	return s
}

// Now returns a stamp for a local event.
func (c *Clock) Now() Stamp {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bump()
}

// Receive merges the stamp of a message and returns one for its receipt.
func (c *Clock) Receive(remote Stamp) (Stamp, error) {
	if d := remote.Time().Sub(c.wall()); d > c.maxFwd {
		return 0, fmt.Errorf("%w: %v", ErrAhead, d)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raise(remote)
	return c.bump(), nil
}

// Packet is a replicated write.
type Packet struct {
	From  string
	Stamp Stamp
	Key   string
	Value float64
}

// Applier stores writes.
type Applier interface {
	Apply(at Stamp, p Packet) error
}

// Replica applies the writes of other nodes.
type Replica struct {
	clock *Clock
	store Applier
	log   *slog.Logger
}

// NewReplica connects a clock with a store.
func NewReplica(c *Clock, a Applier, log *slog.Logger) *Replica {
	return &Replica{clock: c, store: a, log: log}
}

// Run applies packets with some workers until ctx is done.
func (r *Replica) Run(ctx context.Context, in <-chan Packet, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case p := <-in:
					at, err := r.clock.Receive(p.Stamp)
					if err == nil {
						err = r.store.Apply(at, p)
					}
					if err != nil {
						r.log.Warn("packet dropped", "from", p.From, "err", err)
					}
				}
			}
		})
	}
	wg.Wait()
}
