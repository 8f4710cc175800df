// Package listwatch mirrors a catalog of entries into followers.
//
// Correct: a follower attaches its watcher before it lists, in two critical
// sections. An event in between is in the listing and comes by the watcher as
// well, where it is passed over by its revision; none is missed. A watcher
// that cannot keep up is closed, and the follower lists again.
package listwatch

import (
	"context"
	"maps"
	"sync"
)

type Event struct {
	Revision uint64
	Key      string
	Value    string
	Deleted  bool
}

// Sink is fed by one Follow.
type Sink interface {
	Reset(items map[string]string)
	Apply(ev Event)
}

type watcher struct{ events chan Event }

type Catalog struct {
	mu       sync.Mutex
	revision uint64
	items    map[string]string
	watchers map[*watcher]struct{}
}

func New() *Catalog {
	return &Catalog{items: make(map[string]string), watchers: make(map[*watcher]struct{})}
}

func (c *Catalog) Set(key, value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[key] = value
	c.publish(Event{Key: key, Value: value})
}

func (c *Catalog) Delete(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[key]; !ok {
		return
	}
	delete(c.items, key)
	c.publish(Event{Key: key, Deleted: true})
}

// publish needs c.mu.
func (c *Catalog) publish(ev Event) {
	c.revision++
	ev.Revision = c.revision
	for w := range c.watchers {
		select {
		case w.events <- ev:
		default:
			delete(c.watchers, w)
			close(w.events)
		}
	}
}

func (c *Catalog) attach() *watcher {
	w := &watcher{events: make(chan Event, 128)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers[w] = struct{}{}
	return w
}

func (c *Catalog) detach(w *watcher) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.watchers[w]; ok {
		delete(c.watchers, w)
		close(w.events)
	}
}

func (c *Catalog) list() (map[string]string, uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.items), c.revision
}

// Follow keeps the sink in line with the catalog until the context ends.
func (c *Catalog) Follow(ctx context.Context, sink Sink) error {
	for ctx.Err() == nil {
		c.followOnce(ctx, sink)
	}
	return ctx.Err()
}

func (c *Catalog) followOnce(ctx context.Context, sink Sink) {
	w := c.attach()
	defer c.detach(w)
	items, seen := c.list()
	sink.Reset(items)
	for {
		select {
		case ev, ok := <-w.events:
			if !ok {
				return
			}
			if ev.Revision <= seen {
				continue
			}
			sink.Apply(ev)
		case <-ctx.Done():
			return
		}
	}
}
