package a

import (
	"context"
	"errors"
	"sync"
)

var errCompacted = errors.New("required revision has been compacted")

type Event struct{ Rev int64 }

// watcher is one client's buffered stream of events.
type watcher struct {
	next       int64
	eventQueue chan Event
	cancelErr  error // set before eventQueue is closed
	stopOnce   sync.Once
}

func (w *watcher) stop(err error) {
	w.stopOnce.Do(func() {
		w.cancelErr = err
		close(w.eventQueue)
	})
}

// demux fans events out to the watchers.
type demux struct {
	mu       sync.Mutex
	watchers map[*watcher]struct{}
}

func (d *demux) register(w *watcher) {
	d.mu.Lock()
	d.watchers[w] = struct{}{}
	d.mu.Unlock()
}

// unregister is called by the client's goroutine when it is done.
func (d *demux) unregister(w *watcher) {
	d.mu.Lock()
	delete(d.watchers, w)
	d.mu.Unlock()
	w.stop(nil)
}

func (d *demux) broadcast(ev Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for w := range d.watchers {
		if ev.Rev < w.next {
			continue
		}
		select {
		case w.eventQueue <- ev:
			w.next = ev.Rev + 1
		default:
			delete(d.watchers, w)
			w.stop(errors.New("watcher is too slow"))
		}
	}
}

// compact ends the watchers that need a revision that is gone.
func (d *demux) compact(rev int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for w := range d.watchers {
		if w.next != 0 && w.next <= rev {
			delete(d.watchers, w)
			w.stop(errCompacted)
		}
	}
}

// Cache serves watches from one upstream stream.
type Cache struct{ demux demux }

func New(events <-chan Event, compactions <-chan int64) *Cache {
	c := &Cache{demux{watchers: make(map[*watcher]struct{})}}
	go func() {
		for ev := range events {
			c.demux.broadcast(ev)
		}
	}()
	go func() {
		for rev := range compactions {
			c.demux.compact(rev)
		}
	}()
	return c
}

// Watch calls fn for the events from rev on until the context is done.
func (c *Cache) Watch(ctx context.Context, rev int64, fn func(Event)) error {
	w := &watcher{next: rev, eventQueue: make(chan Event, 64)}
	c.demux.register(w)
	defer c.demux.unregister(w)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case ev, ok := <-w.eventQueue:
			if !ok {
				return w.cancelErr
			}
			fn(ev)
		}
	}
}
