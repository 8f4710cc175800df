// Package mirror keeps a local copy of a file catalogue in step with it.
package mirror

import (
	"context"
	"sync"
)

// Entry is the state of one path. A removed path has Gone set.
type Entry struct {
	Path string
	Hash string
	Gone bool
}

type subscription struct {
	events chan Entry
}

// Catalog is the authoritative list of files.
type Catalog struct {
	mu      sync.Mutex
	entries map[string]Entry
	subs    map[*subscription]struct{}
}

// NewCatalog returns an empty catalogue.
func NewCatalog() *Catalog {
	return &Catalog{
		entries: make(map[string]Entry),
		subs:    make(map[*subscription]struct{}),
	}
}

// Apply records a change and tells the subscribers. A subscriber that
// fell behind is cut off and has to start over.
func (c *Catalog) Apply(e Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.Gone {
		delete(c.entries, e.Path)
	} else {
		c.entries[e.Path] = e
	}
	for s := range c.subs {
		select {
		case s.events <- e:
		default:
			delete(c.subs, s)
			close(s.events)
		}
	}
}

func (c *Catalog) list() []Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listLocked()
}

func (c *Catalog) listLocked() []Entry {
	out := make([]Entry, 0, len(c.entries))
	for _, e := range c.entries {
		out = append(out, e)
	}
	return out
}

func (c *Catalog) subscribe() *subscription {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.subscribeLocked()
}

func (c *Catalog) subscribeLocked() *subscription {
	s := &subscription{events: make(chan Entry, 128)}
	c.subs[s] = struct{}{}
	return s
}

func (c *Catalog) unsubscribe(s *subscription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.subs[s]; ok {
		delete(c.subs, s)
		close(s.events)
	}
}

// Watch returns the present entries and the changes that follow.
func (c *Catalog) Watch() ([]Entry, *subscription) {
	entries := c.list()
	return entries, c.subscribe()
}

// Sink is the local side of a mirror. It is called from one goroutine.
type Sink interface {
	Replace(entries []Entry) error
	Change(e Entry) error
}

// Run feeds sink from c until ctx ends or sink fails.
func Run(ctx context.Context, c *Catalog, sink Sink) error {
	for {
		if err := follow(ctx, c, sink); err != nil {
			return err
		}
	}
}

func follow(ctx context.Context, c *Catalog, sink Sink) error {
	entries, sub := c.Watch()
	defer c.unsubscribe(sub)
	if err := sink.Replace(entries); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-sub.events:
			if !ok {
				return nil
			}
			if err := sink.Change(e); err != nil {
				return err
			}
		}
	}
}
