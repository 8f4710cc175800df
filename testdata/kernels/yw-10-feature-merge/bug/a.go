// Package a serves features to online models.
package a

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// Table maps entity keys to feature values. A table is never modified after
// it is published, so that lookups need no lock.
type Table[V any] struct {
	name string
	cur  atomic.Pointer[map[string]V]
}

// NewTable returns an empty table.
func NewTable[V any](name string) *Table[V] {
	t := &Table[V]{name: name}
	t.cur.Store(&map[string]V{})
	return t
}

// Get returns the features of one entity.
func (t *Table[V]) Get(key string) (V, bool) {
	v, ok := (*t.cur.Load())[key]
	return v, ok
}

// GetMany returns the features of the known entities among keys.
func (t *Table[V]) GetMany(keys []string) map[string]V {
	rows := *t.cur.Load()
	out := make(map[string]V, len(keys))
	for _, k := range keys {
		if v, ok := rows[k]; ok {
			out[k] = v
		}
	}
	return out
}

// Merge adds or replaces the rows of one batch.
func (t *Table[V]) Merge(batch map[string]V) int {
	if len(batch) == 0 {
		return len(*t.cur.Load())
	}
	next := maps.Clone(*t.cur.Load())
	maps.Copy(next, batch)
	t.cur.Store(&next)
	return len(next)
}

// Source yields batches of one upstream partition.
type Source[V any] interface {
	Next(ctx context.Context) (map[string]V, error)
}

// Ingester feeds a table from several partitions.
type Ingester[V any] struct {
	table *Table[V]
	parts []Source[V]
	pause time.Duration
}

// NewIngester returns an ingester for the table.
func NewIngester[V any](t *Table[V], parts ...Source[V]) *Ingester[V] {
	return &Ingester[V]{table: t, parts: parts, pause: time.Second}
}

// Run reads all partitions until ctx ends.
func (in *Ingester[V]) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for i, p := range in.parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			in.follow(ctx, i, p)
		}()
	}
	wg.Wait()
	return fmt.Errorf("ingest %s: %w", in.table.name, context.Cause(ctx))
}

func (in *Ingester[V]) follow(ctx context.Context, part int, src Source[V]) {
	log := slog.With("table", in.table.name, "partition", part)
	for ctx.Err() == nil {
		batch, err := src.Next(ctx)
		if err != nil {
			log.Error("read batch", "err", err)
			select {
			case <-time.After(in.pause):
			case <-ctx.Done():
			}
			continue
		}
		n := in.table.Merge(batch)
		log.Debug("batch merged", "rows", len(batch), "table_rows", n)
	}
}
