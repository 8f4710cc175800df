// Package usage adds up events for billing and ships them at an interval.
package usage

import (
	"context"
	"fmt"
	"log"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Sample is a total for one interval.
type Sample struct {
	Name  string
	Value int64
	From  time.Time
	To    time.Time
}

// Sink takes samples.
type Sink interface {
	Send(ctx context.Context, batch []Sample) error
}

type interval struct {
	from  time.Time
	cells map[string]*atomic.Int64
}

func newInterval(from time.Time) *interval {
	return &interval{from: from, cells: make(map[string]*atomic.Int64)}
}

// Recorder adds up events.
type Recorder struct {
	sink   Sink
	prefix string

	mu  sync.RWMutex
	cur *interval
}

// NewRecorder returns a recorder whose names start with the prefix.
func NewRecorder(sink Sink, prefix string) *Recorder {
	return &Recorder{
		sink:   sink,
		prefix: strings.TrimSuffix(prefix, "."),
		cur:    newInterval(time.Now()),
	}
}

func (r *Recorder) cell(name string) *atomic.Int64 {
	r.mu.RLock()
	c, ok := r.cur.cells[name]
	r.mu.RUnlock()
	if ok {
		return c
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if c, ok = r.cur.cells[name]; !ok {
		c = new(atomic.Int64)
		r.cur.cells[name] = c
	}
	return c
}

func metricName(prefix, event string, labels []string) string {
	var b strings.Builder
	b.WriteString(prefix)
	b.WriteByte('.')
	b.WriteString(event)
	for _, l := range labels {
		b.WriteByte('.')
		b.WriteString(strings.ReplaceAll(l, ".", "_"))
	}
	return b.String()
}

// Add adds n events.
func (r *Recorder) Add(event string, n int64, labels ...string) {
	if n <= 0 {
		return
	}
	r.cell(metricName(r.prefix, event, labels)).Add(n)
}

func (r *Recorder) swap(now time.Time) *interval {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.cur
	r.cur = newInterval(now)
	return old
}

// Flush ships what was added since the last call.
func (r *Recorder) Flush(ctx context.Context) error {
	now := time.Now()
	old := r.swap(now)
	if len(old.cells) == 0 {
		return nil
	}
	batch := make([]Sample, 0, len(old.cells))
	for name, c := range old.cells {
		batch = append(batch, Sample{Name: name, Value: c.Load(), From: old.from, To: now})
	}
	sort.Slice(batch, func(i, j int) bool { return batch[i].Name < batch[j].Name })
	if err := r.sink.Send(ctx, batch); err != nil {
		return fmt.Errorf("usage: send %d samples: %w", len(batch), err)
	}
	return nil
}

// Run flushes at an interval and once more when ctx ends.
func (r *Recorder) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := r.Flush(ctx); err != nil {
				log.Print(err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := r.Flush(last); err != nil {
				log.Print(err)
			}
			return
		}
	}
}
