// Package stockfeed keeps stock levels of a warehouse and streams them to shop
// front ends.
package stockfeed

import (
	"context"
	"errors"
	"maps"
	"sync"
)

// ErrLagging is returned to a watcher that does not keep up. It may watch
// again.
var ErrLagging = errors.New("stockfeed: watcher lags behind")

// Level is a change of one article's stock. Changes are numbered in order.
type Level struct {
	Seq     uint64
	Article string
	Count   int
}

// Watcher takes in what Watch delivers, in the caller's goroutine.
type Watcher interface {
	Snapshot(levels map[string]int)
	Update(Level)
}

// Feed is safe for concurrent use.
type Feed struct {
	mu     sync.Mutex
	seq    uint64
	levels map[string]int
	subs   map[chan Level]struct{}
}

// New returns a feed without stock.
func New() *Feed {
	return &Feed{levels: make(map[string]int), subs: make(map[chan Level]struct{})}
}

// Adjust adds delta to an article's stock and returns the outcome.
func (f *Feed) Adjust(article string, delta int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.levels[article] += delta
	f.seq++
	l := Level{Seq: f.seq, Article: article, Count: f.levels[article]}
	for ch := range f.subs {
		select {
		case ch <- l:
		default:
			delete(f.subs, ch)
			close(ch)
		}
	}
	return l.Count
}

// attach registers a channel for changes.
func (f *Feed) attach() chan Level {
	ch := make(chan Level, 256)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subs[ch] = struct{}{}
	return ch
}

func (f *Feed) detach(ch chan Level) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.subs, ch)
}

// snapshot returns all levels and the number of the last change in them.
func (f *Feed) snapshot() (map[string]int, uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.levels), f.seq
}

// Watch hands w all levels and then every change after them, until ctx ends.
func (f *Feed) Watch(ctx context.Context, w Watcher) error {
	ch := f.attach()
	defer f.detach(ch)
	levels, upTo := f.snapshot()
	w.Snapshot(levels)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case l, ok := <-ch:
			if !ok {
				return ErrLagging
			}
			if l.Seq <= upTo {
				continue // part of the snapshot
			}
			w.Update(l)
		}
	}
}
