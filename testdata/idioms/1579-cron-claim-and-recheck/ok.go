package a

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

type Task func(context.Context) error

type entry struct {
	name  string
	every time.Duration
	task  Task

	busy atomic.Bool
	next atomic.Int64 // unix nanoseconds; written by whoever holds busy
	runs atomic.Int64
}

func (e *entry) due(now time.Time) bool { return now.UnixNano() >= e.next.Load() }

// Table is shared by several tickers (one per queue consumer).
type Table struct {
	log *slog.Logger

	mu      sync.RWMutex
	entries []*entry
}

func NewTable(log *slog.Logger) *Table { return &Table{log: log} }

func (t *Table) Add(name string, every time.Duration, task Task) {
	e := &entry{name: name, every: every, task: task}
	e.next.Store(time.Now().Add(every).UnixNano())
	t.mu.Lock()
	t.entries = append(t.entries, e)
	t.mu.Unlock()
}

func (t *Table) ready(now time.Time) []*entry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var out []*entry
	for _, e := range t.entries {
		if e.due(now) && !e.busy.Load() {
			out = append(out, e)
		}
	}
	return out
}

// Tick runs what is due at now. Every entry runs once per period, whoever ticks.
func (t *Table) Tick(ctx context.Context, now time.Time) (ran int) {
	for _, e := range t.ready(now) {
		if t.try(ctx, e, now) {
			ran++
		}
	}
	return ran
}

func (t *Table) try(ctx context.Context, e *entry, now time.Time) bool {
	if !e.busy.CompareAndSwap(false, true) {
		return false
	}
	defer e.busy.Store(false)
	if !e.due(now) {
		return false
	}
	if err := e.task(ctx); err != nil {
		t.log.Warn("task failed", "task", e.name, "err", err)
	}
	e.runs.Add(1)
	e.next.Store(time.Now().Add(e.every).UnixNano())
	return true
}

func (t *Table) Run(ctx context.Context, consumers int) {
	var wg sync.WaitGroup
	for range consumers {
		wg.Go(func() {
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case now := <-tick.C:
					t.Tick(ctx, now)
				}
			}
		})
	}
	wg.Wait()
}
