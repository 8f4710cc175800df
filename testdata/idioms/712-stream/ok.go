// Package stream reorders events by a watermark.
package stream

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Record is one event of a partition.
type Record struct {
	Partition int
	Time      int64
	Data      []byte
}

// Reorder holds records back until the watermark passed them.
type Reorder struct {
	slack int64
	emit  func([]Record)

	watermark atomic.Int64
	late      atomic.Int64

	mu      sync.Mutex
	buffer  []Record
	flushed int64

	progressMu sync.RWMutex
	progress   map[int]int64
}

// NewReorder returns a buffer which waits slack for stragglers.
func NewReorder(slack int64, emit func([]Record)) *Reorder {
	return &Reorder{slack: slack, emit: emit, progress: make(map[int]int64)}
}

// Ingest takes records of any partition.
func (r *Reorder) Ingest(rec Record) {
	if rec.Time <= r.watermark.Load() {
		r.late.Add(1)
		return
	}
	if r.insert(rec) {
		r.note(rec.Partition, rec.Time)
	} else {
		r.late.Add(1)
	}
}

func (r *Reorder) insert(rec Record) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rec.Time <= r.flushed {
		return false
	}
	i, _ := slices.BinarySearchFunc(r.buffer, rec.Time, func(x Record, t int64) int {
		if x.Time <= t {
			return -1
		}
		return 1
	})
	r.buffer = slices.Insert(r.buffer, i, rec)
	return true
}

func (r *Reorder) seen(partition int) int64 {
	r.progressMu.RLock()
	defer r.progressMu.RUnlock()
	return r.progress[partition]
}

func (r *Reorder) note(partition int, t int64) {
	if r.seen(partition) >= t {
		return
	}
	r.progressMu.Lock()
	defer r.progressMu.Unlock()
	r.progress[partition] = max(r.progress[partition], t)
}

func (r *Reorder) slowest() (int64, bool) {
	r.progressMu.RLock()
	defer r.progressMu.RUnlock()
	if len(r.progress) == 0 {
		return 0, false
	}
	first := true
	var low int64
	for _, t := range r.progress {
		if first || t < low {
			low, first = t, false
		}
	}
	return low, true
}

// ready takes the records up to a time out of the buffer.
func (r *Reorder) ready(upTo int64) []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flushed = max(r.flushed, upTo)
	n := 0
	for n < len(r.buffer) && r.buffer[n].Time <= upTo {
		n++
	}
	out := slices.Clone(r.buffer[:n])
	r.buffer = slices.Delete(r.buffer, 0, n)
	return out
}

// step is called by Run only.
func (r *Reorder) step() {
	low, ok := r.slowest()
	if !ok {
		return
	}
	next := low - r.slack
	if next <= r.watermark.Load() {
		return
	}
	r.watermark.Store(next)
	if batch := r.ready(next); len(batch) > 0 {
		r.emit(batch)
	}
}

// Run moves the watermark until ctx is done and emits the rest then.
func (r *Reorder) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			if rest := r.ready(1<<63 - 1); len(rest) > 0 {
				r.emit(rest)
			}
			return
		case <-t.C:
			r.step()
		}
	}
}

// Watermark returns how far the output is complete.
func (r *Reorder) Watermark() int64 { return r.watermark.Load() }

// Late returns the number of records which came too late.
func (r *Reorder) Late() int64 { return r.late.Load() }

// Buffered returns the number of records which are held back.
func (r *Reorder) Buffered() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.buffer)
}
