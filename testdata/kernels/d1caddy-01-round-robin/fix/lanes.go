// Package fix spreads requests over a set of lanes.
package fix

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNoLane is returned if no lane can take the request.
var ErrNoLane = errors.New("no lane available")

// Request is what is spread.
type Request struct {
	Client string
	Body   []byte
}

// Lane is one backend.
type Lane struct {
	Name string

	load  atomic.Int64
	down  atomic.Bool
	fails atomic.Int64
	do    func(context.Context, *Request) error
}

// NewLane returns a lane that is up.
func NewLane(name string, do func(context.Context, *Request) error) *Lane {
	return &Lane{Name: name, do: do}
}

// Available tells whether the lane answered the last probe.
func (l *Lane) Available() bool {
	return !l.down.Load()
}

// Selector chooses a lane; it is used by all requests at the same time.
type Selector interface {
	Select(lanes []*Lane, r *Request) *Lane
}

// RandomSelection takes any lane that is available.
type RandomSelection struct{}

// Select implements Selector.
func (RandomSelection) Select(lanes []*Lane, _ *Request) *Lane {
	var pick *Lane
	n := 0
	for _, l := range lanes {
		if !l.Available() {
			continue
		}
		n++
		if rand.IntN(n) == 0 {
			pick = l
		}
	}
	return pick
}

// LeastLoadSelection takes the lane with the fewest requests.
type LeastLoadSelection struct{}

// Select implements Selector.
func (LeastLoadSelection) Select(lanes []*Lane, _ *Request) *Lane {
	var best *Lane
	least := int64(-1)
	for _, l := range lanes {
		if !l.Available() {
			continue
		}
		n := l.load.Load()
		if least < 0 || n < least {
			least, best = n, l
		}
	}
	return best
}

// ClientSelection sends a client to the same lane each time.
type ClientSelection struct{}

// Select implements Selector.
func (ClientSelection) Select(lanes []*Lane, r *Request) *Lane {
	n := uint32(len(lanes))
	if n == 0 {
		return nil
	}
	h := fnv.New32a()
	h.Write([]byte(r.Client))
	start := h.Sum32()
	for i := range n {
		if l := lanes[(start+i)%n]; l.Available() {
			return l
		}
	}
	return nil
}

// TurnSelection takes the lanes in turn.
type TurnSelection struct {
	turn uint32
}

// Select implements Selector.
func (t *TurnSelection) Select(lanes []*Lane, _ *Request) *Lane {
	n := uint32(len(lanes))
	if n == 0 {
		return nil
	}
	for range n {
		turn := atomic.AddUint32(&t.turn, 1)
		l := lanes[turn%n]
		if l.Available() {
			return l
		}
	}
	return nil
}

// Dispatcher hands requests to lanes.
type Dispatcher struct {
	sel   Selector
	tries int

	mu    sync.RWMutex
	lanes []*Lane
}

// NewDispatcher returns a dispatcher without lanes.
func NewDispatcher(sel Selector, tries int) *Dispatcher {
	return &Dispatcher{sel: sel, tries: tries}
}

// SetLanes replaces the lanes. The slice must not be changed afterwards.
func (d *Dispatcher) SetLanes(lanes []*Lane) {
	d.mu.Lock()
	d.lanes = lanes
	d.mu.Unlock()
}

// Do carries a request out.
func (d *Dispatcher) Do(ctx context.Context, r *Request) error {
	d.mu.RLock()
	lanes := d.lanes
	d.mu.RUnlock()

	err := ErrNoLane
	for range d.tries {
		l := d.sel.Select(lanes, r)
		if l == nil {
			return err
		}
		l.load.Add(1)
		err = l.do(ctx, r)
		l.load.Add(-1)
		if err == nil {
			return nil
		}
		l.fails.Add(1)
	}
	return err
}

// Watch marks lanes down and up until the context ends.
func (d *Dispatcher) Watch(ctx context.Context, every time.Duration, probe func(*Lane) bool) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		d.mu.RLock()
		lanes := d.lanes
		d.mu.RUnlock()
		for _, l := range lanes {
			l.down.Store(!probe(l))
		}
	}
}
