// Package ok answers queries that wait for news.
package ok

import (
	"context"
	"sync"
	"time"
)

// Item is immutable.
type Item struct {
	Key   string
	Value string
	Index uint64
}

// Table holds items and the index of the last change.
type Table struct {
	mu    sync.RWMutex
	items map[string]*Item
	index uint64
	news  chan struct{}
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{items: make(map[string]*Item), news: make(chan struct{})}
}

// Put stores an item.
func (t *Table) Put(key, value string) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.index++
	t.items[key] = &Item{Key: key, Value: value, Index: t.index}
	t.wake()
	return t.index
}

// Delete removes an item.
func (t *Table) Delete(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.items[key]; !ok {
		return
	}
	t.index++
	delete(t.items, key)
	t.wake()
}

func (t *Table) wake() {
	close(t.news)
	t.news = make(chan struct{})
}

func (t *Table) changed() <-chan struct{} {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.news
}

func (t *Table) list(prefix string) ([]*Item, uint64) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var out []*Item
	for k, it := range t.items {
		if len(k) >= len(prefix) && k[:len(prefix)] == prefix {
			out = append(out, it)
		}
	}
	return out, t.index
}

// Query asks for all items of a prefix.
type Query struct {
	Prefix   string
	MinIndex uint64
	MaxWait  time.Duration
}

// Reply answers a query.
type Reply struct {
	Items []*Item
	Index uint64
}

// Blocking returns when the index is above the one of the query, or with what
// there is when the time is up.
func (t *Table) Blocking(ctx context.Context, q Query) (*Reply, error) {
	wait := q.MaxWait
	if wait <= 0 || wait > 10*time.Minute {
		wait = 10 * time.Minute
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		news := t.changed()
		items, index := t.list(q.Prefix)
		if q.MinIndex == 0 || index > q.MinIndex {
			return &Reply{items, index}, nil
		}
		select {
		case <-news:
		case <-timer.C:
			return &Reply{items, index}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
