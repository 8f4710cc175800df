// Package ok counts repeated events and reports them to a server.
package ok

import (
	"context"
	"sync"
	"time"
)

const (
	refreshTime = 30 * time.Minute
	finishTime  = 6 * time.Minute
)

type eventKey struct {
	reason    string
	regarding string
}

// event is a value, it has no pointers.
type event struct {
	key          eventKey
	version      string // given by the server
	count        int
	lastObserved time.Time
}

// EventSink stores events; it may be slow.
type EventSink interface {
	// Patch returns the stored event, with its new version.
	Patch(ctx context.Context, reason, regarding string, count int) (version string, err error)
}

// Broadcaster aggregates events into series.
type Broadcaster struct {
	sink EventSink

	mu         sync.Mutex
	eventCache map[eventKey]event
}

// NewBroadcaster refreshes and finishes the series until the context is done.
func NewBroadcaster(ctx context.Context, sink EventSink) *Broadcaster {
	e := &Broadcaster{sink: sink, eventCache: make(map[eventKey]event)}
	go e.until(ctx, refreshTime, e.refreshExistingEventSeries)
	go e.until(ctx, finishTime, e.finishSeries)
	return e
}

func (e *Broadcaster) until(ctx context.Context, period time.Duration, f func(context.Context)) {
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			f(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// Record is called for each event.
func (e *Broadcaster) Record(reason, regarding string) {
	key := eventKey{reason, regarding}
	e.mu.Lock()
	defer e.mu.Unlock()
	ev := e.eventCache[key]
	ev.key = key
	ev.count++
	ev.lastObserved = time.Now()
	e.eventCache[key] = ev
}

// snapshot returns copies of the series that a filter selects.
func (e *Broadcaster) snapshot(filter func(event) bool) []event {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []event
	for _, ev := range e.eventCache {
		if filter(ev) {
			out = append(out, ev)
		}
	}
	return out
}

// refreshExistingEventSeries refresh events TTL
func (e *Broadcaster) refreshExistingEventSeries(ctx context.Context) {
	for _, ev := range e.snapshot(func(ev event) bool { return ev.count > 1 }) {
		version, err := e.sink.Patch(ctx, ev.key.reason, ev.key.regarding, ev.count)
		if err != nil {
			continue
		}
		recorded := ev
		recorded.version = version

		e.mu.Lock()
		cached, exists := e.eventCache[ev.key]
		// The sink call ran without the lock. Do not overwrite counts or
		// timestamps which were aggregated while it was in flight.
		if exists && cached == ev {
			e.eventCache[ev.key] = recorded
		}
		e.mu.Unlock()
	}
}

// finishSeries checks if a series has ended, writes its final count and
// deletes it from the cache.
func (e *Broadcaster) finishSeries(ctx context.Context) {
	deadline := time.Now().Add(-finishTime)
	for _, ev := range e.snapshot(func(ev event) bool { return ev.lastObserved.Before(deadline) }) {
		if ev.count > 1 {
			if _, err := e.sink.Patch(ctx, ev.key.reason, ev.key.regarding, ev.count); err != nil {
				continue
			}
		}

		e.mu.Lock()
		cached, exists := e.eventCache[ev.key]
		// An event observed while the sink call was in flight means the series
		// is active again and must remain in the cache.
		if exists && cached == ev {
			delete(e.eventCache, ev.key)
		}
		e.mu.Unlock()
	}
}
