// Package fix hands out cluster-wide timestamps made of a wall-clock part and
// a counter.
package fix

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxLogical = 1 << 18
	window     = 3000 // milliseconds of timestamps bought from storage at once
	guard      = 50
)

var (
	ErrNotServing = errors.New("tso: not serving")
	ErrExhausted  = errors.New("tso: logical part used up")
)

// Storage keeps the upper bound of all timestamps ever promised.
type Storage interface {
	Load() (int64, error)
	Save(limit int64) error
}

type Timestamp struct {
	Physical int64
	Logical  int64
}

type Oracle struct {
	store Storage

	mu    sync.Mutex
	limit int64

	physical atomic.Int64
	logical  atomic.Int64
}

func NewOracle(store Storage) *Oracle { return &Oracle{store: store} }

// Campaigned starts serving; it is called when this member becomes leader.
func (o *Oracle) Campaigned(now time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	last, err := o.store.Load()
	if err != nil {
		return err
	}
	start := max(now.UnixMilli(), last+1)
	if err := o.extend(start); err != nil {
		return err
	}
	o.set(start)
	return nil
}

// Resigned stops serving.
func (o *Oracle) Resigned() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.set(0)
}

// Update moves the wall-clock part on; it runs every few milliseconds.
func (o *Oracle) Update(now time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	cur := o.physical.Load()
	if cur == 0 {
		return ErrNotServing
	}
	next := now.UnixMilli()
	if next <= cur {
		if o.logical.Load() < maxLogical/2 {
			return nil
		}
		next = cur + 1
	}
	if next+guard >= o.limit {
		if err := o.extend(next); err != nil {
			return err
		}
	}
	o.set(next)
	return nil
}

func (o *Oracle) extend(from int64) error {
	limit := from + window
	if err := o.store.Save(limit); err != nil {
		return err
	}
	o.limit = limit
	return nil
}

func (o *Oracle) set(physical int64) {
	o.physical.Store(physical)
	o.logical.Store(0)
}

// Alloc reserves n timestamps and returns the last of them.
func (o *Oracle) Alloc(n int64) (Timestamp, error) {
	for range 10 {
		ts := o.take(n)
		if ts.Physical == 0 {
			return Timestamp{}, ErrNotServing
		}
		if ts.Logical < maxLogical {
			return ts, nil
		}
		time.Sleep(2 * time.Millisecond)
	}
	return Timestamp{}, ErrExhausted
}

func (o *Oracle) take(n int64) Timestamp {
	o.mu.Lock()
	defer o.mu.Unlock()
	physical := o.physical.Load()
	return Timestamp{Physical: physical, Logical: o.logical.Add(n)}
}
