// Package audit ships audit records in batches.
package audit

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

// ErrOverflow means that records arrive faster than they can be shipped.
var ErrOverflow = errors.New("audit: buffer is full")

// Record is one line of the audit trail.
type Record struct {
	When   time.Time
	Actor  string
	Action string
	Object string
}

// Shipper sends records to the archive. It returns how many were accepted.
type Shipper interface {
	Ship(ctx context.Context, batch []Record) (int, error)
}

// Trail buffers records.
type Trail struct {
	ship  Shipper
	limit int
	kick  chan struct{}

	mu      sync.Mutex
	pending []Record
	inWork  int
}

// New returns a trail that holds at most limit records.
func New(s Shipper, limit int) *Trail {
	return &Trail{ship: s, limit: limit, kick: make(chan struct{}, 1)}
}

// Record adds a record.
func (t *Trail) Record(actor, action, object string) error {
	rec := Record{When: time.Now(), Actor: actor, Action: action, Object: object}
	t.mu.Lock()
	if len(t.pending)+t.inWork >= t.limit {
		t.mu.Unlock()
		return ErrOverflow
	}
	t.pending = append(t.pending, rec)
	n := len(t.pending)
	t.mu.Unlock()

	if n >= t.limit/2 {
		select {
		case t.kick <- struct{}{}:
		default:
		}
	}
	return nil
}

func (t *Trail) takeAll() []Record {
	t.mu.Lock()
	defer t.mu.Unlock()
	batch := t.pending
	t.pending = nil
	t.inWork = len(batch)
	return batch
}

func (t *Trail) settle(rest []Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inWork = 0
	if len(rest) > 0 {
		t.pending = append(rest[:len(rest):len(rest)], t.pending...)
	}
}

func (t *Trail) drain(ctx context.Context) error {
	batch := t.takeAll()
	if len(batch) == 0 {
		return nil
	}
	n, err := t.ship.Ship(ctx, batch)
	if err != nil {
		err = fmt.Errorf("audit: shipped %d of %d: %w", n, len(batch), err)
	} else {
		n = len(batch)
	}
	t.settle(batch[n:])
	return err
}

// Pending returns how many records were not shipped yet.
func (t *Trail) Pending() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.pending) + t.inWork
}

// Run ships records until ctx ends. A trail is run by one goroutine.
func (t *Trail) Run(ctx context.Context, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
			defer cancel()
			return t.drain(last)
		case <-tick.C:
		case <-t.kick:
		}
		if err := t.drain(ctx); err != nil {
			log.Print(err)
		}
	}
}
