// Package watermark tells up to where all replicas have applied the log.
//
// Correct: marks only go up and the set of replicas is fixed at construction.
// A mark that was read is a lower bound of it for good, so the least of marks
// read one after the other is a lower bound of the least mark, and the common
// mark is raised by compare-and-swap to it but never lowered.
package watermark

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"
)

var ErrUnknown = errors.New("watermark: unknown replica")

type Tracker struct {
	names  []string
	index  map[string]int
	marks  []atomic.Uint64
	common atomic.Uint64
}

func New(replicas ...string) *Tracker {
	t := &Tracker{
		names: slices.Clone(replicas),
		index: make(map[string]int, len(replicas)),
		marks: make([]atomic.Uint64, len(replicas)),
	}
	for i, name := range replicas {
		t.index[name] = i
	}
	return t
}

func raise(a *atomic.Uint64, to uint64) bool {
	for {
		cur := a.Load()
		if to <= cur {
			return false
		}
		if a.CompareAndSwap(cur, to) {
			return true
		}
	}
}

// Applied is called by the stream of each replica.
func (t *Tracker) Applied(replica string, mark uint64) error {
	i, ok := t.index[replica]
	if !ok {
		return ErrUnknown
	}
	if raise(&t.marks[i], mark) {
		t.update()
	}
	return nil
}

func (t *Tracker) update() {
	if len(t.marks) == 0 {
		return
	}
	least := t.marks[0].Load()
	for i := range t.marks[1:] {
		least = min(least, t.marks[i+1].Load())
	}
	raise(&t.common, least)
}

// Common returns a mark that all replicas have reached.
func (t *Tracker) Common() uint64 { return t.common.Load() }

// Wait returns once all replicas have reached the mark.
func (t *Tracker) Wait(ctx context.Context, mark uint64) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for t.Common() < mark {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Behind lists the replicas that have not reached the mark.
func (t *Tracker) Behind(mark uint64) []string {
	var out []string
	for i, name := range t.names {
		if t.marks[i].Load() < mark {
			out = append(out, name)
		}
	}
	return out
}
