// Package chartindex keeps a search index of patient charts current.
package chartindex

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Chart is the text of a record.
type Chart struct {
	Patient string
	Text    string
}

// Archive reads charts.
type Archive interface {
	Chart(ctx context.Context, patient string) (Chart, error)
}

// Index stores the searchable form.
type Index interface {
	Put(ctx context.Context, c Chart) error
}

type entry struct {
	wanted  uint64
	indexed uint64
	busy    bool
	failed  int
}

func (e *entry) behind() bool { return e.indexed != e.wanted && !e.busy }

// Indexer follows the edits of charts.
type Indexer struct {
	archive Archive
	index   Index
	log     *slog.Logger

	mu      sync.Mutex
	entries map[string]*entry
	wake    chan struct{}
}

// New returns an indexer without work.
func New(a Archive, ix Index, log *slog.Logger) *Indexer {
	return &Indexer{archive: a, index: ix, log: log, entries: make(map[string]*entry), wake: make(chan struct{}, 1)}
}

// Edited is called after a chart has been saved.
func (x *Indexer) Edited(patient string) {
	x.mu.Lock()
	e, ok := x.entries[patient]
	if !ok {
		e = &entry{}
		x.entries[patient] = e
	}
	e.wanted++
	x.mu.Unlock()
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// Lag returns how many charts are not indexed as they are.
func (x *Indexer) Lag() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := 0
	for _, e := range x.entries {
		if e.indexed != e.wanted {
			n++
		}
	}
	return n
}

func (x *Indexer) next() (patient string, gen uint64, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for p, e := range x.entries {
		if e.behind() {
			e.busy = true
			return p, e.wanted, true
		}
	}
	return "", 0, false
}

func (x *Indexer) done(patient string, gen uint64, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.entries[patient]
	e.busy = false
	if err != nil {
		e.failed++
		return
	}
	e.failed, e.indexed = 0, gen
}

func (x *Indexer) update(ctx context.Context, patient string) error {
	c, err := x.archive.Chart(ctx, patient)
	if err != nil {
		return fmt.Errorf("read chart: %w", err)
	}
	if err := x.index.Put(ctx, c); err != nil {
		return fmt.Errorf("index chart: %w", err)
	}
	return nil
}

// Run indexes with some workers until ctx is done.
func (x *Indexer) Run(ctx context.Context, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				patient, gen, ok := x.next()
				if ok {
					err := x.update(ctx, patient)
					x.done(patient, gen, err)
					if err == nil {
						continue
					}
					x.log.Warn("chart not indexed", "patient", patient, "err", err)
				}
				select {
				case <-ctx.Done():
				case <-x.wake:
				case <-time.After(time.Second):
				}
			}
		})
	}
	wg.Wait()
}
