// Package stream aggregates events into windows of event time.
package stream

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Event is one measurement.
type Event struct {
	Key   string
	At    int64
	Value float64
}

// Pane is a finished window of one key.
type Pane struct {
	Key   string
	Start int64
	Count int
	Sum   float64
}

type paneKey struct {
	key   string
	start int64
}

type panes struct {
	mu   sync.Mutex
	open map[paneKey]*Pane
}

// add is called with p.mu held.
func (p *panes) add(e Event, start int64) {
	k := paneKey{e.Key, start}
	w, ok := p.open[k]
	if !ok {
		w = &Pane{Key: e.Key, Start: start}
		p.open[k] = w
	}
	w.Count++
	w.Sum += e.Value
}

func (p *panes) closeUntil(limit int64) []Pane {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Pane
	for k, w := range p.open {
		if k.start < limit {
			out = append(out, *w)
			delete(p.open, k)
		}
	}
	return out
}

// Operator is a tumbling window.
type Operator struct {
	size      int64
	sink      func([]Pane)
	watermark atomic.Int64
	dropped   atomic.Int64
	panes     panes

	mu       sync.Mutex
	channels map[string]int64
}

// NewOperator returns an operator with windows of the given size.
func NewOperator(size int64, inputs []string, sink func([]Pane)) *Operator {
	op := &Operator{size: size, sink: sink, channels: make(map[string]int64)}
	op.panes.open = make(map[paneKey]*Pane)
	for _, in := range inputs {
		op.channels[in] = 0
	}
	return op
}

func (op *Operator) late(start int64) bool {
	return start+op.size <= op.watermark.Load()
}

// Process takes one event of any input.
func (op *Operator) Process(e Event) {
	start := e.At - e.At%op.size
	op.panes.mu.Lock()
	defer op.panes.mu.Unlock()
	if op.late(start) {
		op.dropped.Add(1)
		return
	}
	op.panes.add(e, start)
}

// Advance takes a watermark of one input; the operator's is the lowest of all.
func (op *Operator) Advance(input string, to int64) {
	op.mu.Lock()
	defer op.mu.Unlock()
	if to <= op.channels[input] {
		return
	}
	op.channels[input] = to
	low := to
	for _, w := range op.channels {
		low = min(low, w)
	}
	if low <= op.watermark.Load() {
		return
	}
	op.watermark.Store(low)
	done := op.panes.closeUntil(low - op.size + 1)
	if len(done) == 0 {
		return
	}
	slices.SortFunc(done, func(a, b Pane) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Key, b.Key))
	})
	op.sink(done)
}

// Lag returns how far the watermark is behind.
func (op *Operator) Lag(now time.Time) time.Duration {
	return now.Sub(time.UnixMilli(op.watermark.Load()))
}

// Dropped returns the number of late events.
func (op *Operator) Dropped() int64 { return op.dropped.Load() }

// Source delivers events and watermarks of one partition.
type Source interface {
	Name() string
	Next(ctx context.Context) (events []Event, watermark int64, err error)
}

// Run reads all sources until ctx is done or one fails.
func (op *Operator) Run(ctx context.Context, sources ...Source) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make(chan error, len(sources))
	for _, src := range sources {
		go func() { errs <- op.consume(ctx, src) }()
	}
	var first error
	for range sources {
		if err := <-errs; err != nil && first == nil {
			first = err
			cancel()
		}
	}
	return first
}

func (op *Operator) consume(ctx context.Context, src Source) error {
	for ctx.Err() == nil {
		events, wm, err := src.Next(ctx)
		if err != nil {
			return err
		}
		for _, e := range events {
			op.Process(e)
		}
		op.Advance(src.Name(), wm)
	}
	return nil
}
