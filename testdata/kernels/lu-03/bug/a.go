package a

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

type Event struct{ Rev int64 }

type WatchResponse struct {
	Events          []Event
	CompactRevision int64
}

type watcher struct {
	eventQueue chan []Event
	stopped    atomic.Bool
}

func (w *watcher) enqueue(evs []Event) bool {
	select {
	case w.eventQueue <- evs:
		return true
	default:
	}
	return false
}

func (w *watcher) Stop() {
	if w.stopped.CompareAndSwap(false, true) {
		close(w.eventQueue)
	}
}

// demux fans events out to watchers and replays history to those that lag.
type demux struct {
	mu      sync.RWMutex
	active  map[*watcher]int64
	lagging map[*watcher]int64
	history []Event
	window  int
}

func (d *demux) Register(w *watcher, startRev int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.history); n > 0 && startRev != 0 && startRev <= d.history[n-1].Rev {
		d.lagging[w] = startRev
	} else {
		d.active[w] = startRev
	}
}

func (d *demux) Unregister(w *watcher) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.active, w)
	delete(d.lagging, w)
	w.Stop()
}

func (d *demux) Broadcast(ev Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.history = append(d.history, ev)
	if len(d.history) > d.window {
		d.history = d.history[1:]
	}
	for w, next := range d.active {
		if ev.Rev >= next && !w.enqueue([]Event{ev}) {
			d.lagging[w] = ev.Rev
			delete(d.active, w)
		}
	}
}

func (d *demux) resyncLaggingWatchers() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for w, next := range d.lagging {
		if next < d.history[0].Rev {
			w.Stop()
			delete(d.lagging, w)
			continue
		}
		if w.enqueue(slices.Clone(d.history[next-d.history[0].Rev:])) {
			delete(d.lagging, w)
			d.active[w] = next
		}
	}
}

func (d *demux) PeekOldest() int64 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if len(d.history) > 0 {
		return d.history[0].Rev
	}
	return 0
}

type Cache struct{ demux *demux }

func New(ctx context.Context, upstream <-chan Event, window int) *Cache {
	c := &Cache{&demux{active: map[*watcher]int64{}, lagging: map[*watcher]int64{}, window: window}}
	go func() {
		for ctx.Err() == nil {
			time.Sleep(50 * time.Millisecond)
			c.demux.resyncLaggingWatchers()
		}
	}()
	go func() {
		for ev := range upstream {
			c.demux.Broadcast(ev)
		}
	}()
	return c
}

// Watch streams the events from startRev on until ctx is done; when startRev is no
// longer available the last response says so. Callers drain the channel.
func (c *Cache) Watch(ctx context.Context, startRev int64) <-chan WatchResponse {
	out := make(chan WatchResponse, 16)
	if startRev != 0 {
		if oldest := c.demux.PeekOldest(); oldest != 0 && startRev < oldest {
			out <- WatchResponse{CompactRevision: startRev}
			close(out)
			return out
		}
	}
	w := &watcher{eventQueue: make(chan []Event, 16)}
	c.demux.Register(w, startRev)
	go func() {
		defer close(out)
		defer c.demux.Unregister(w)
		for {
			select {
			case <-ctx.Done():
				return
			case evs, ok := <-w.eventQueue:
				if !ok {
					return
				}
				out <- WatchResponse{Events: evs}
			}
		}
	}()
	return out
}
