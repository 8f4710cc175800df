// Package a is a broker for server-sent events with replay.
package a

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

const (
	keep   = 512
	buffer = 64
)

// Event is one message of the stream.
type Event struct {
	ID   uint64
	Name string
	Data string
}

// Broker sends every event to every subscriber.
type Broker struct {
	mu      sync.RWMutex
	lastID  uint64
	history []Event
	subs    map[chan Event]struct{}
	log     *slog.Logger
}

// NewBroker returns a broker without subscribers.
func NewBroker(log *slog.Logger) *Broker {
	return &Broker{subs: make(map[chan Event]struct{}), log: log}
}

// Publish numbers an event and sends it. A subscriber which is too slow is
// disconnected; it comes back with its Last-Event-ID.
func (b *Broker) Publish(name, data string) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lastID++
	ev := Event{ID: b.lastID, Name: name, Data: data}
	b.history = append(b.history, ev)
	if len(b.history) > keep {
		b.history = slices.Delete(b.history, 0, len(b.history)-keep)
	}
	for ch := range b.subs {
		select {
		case ch <- ev:
		default:
			delete(b.subs, ch)
			close(ch)
			b.log.Warn("slow subscriber dropped", "event", ev.ID)
		}
	}
	return ev.ID
}

// Since returns the kept events after the given ID.
func (b *Broker) Since(id uint64) []Event {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.since(id)
}

func (b *Broker) since(id uint64) []Event {
	i, _ := slices.BinarySearchFunc(b.history, id+1, func(e Event, id uint64) int {
		switch {
		case e.ID < id:
			return -1
		case e.ID > id:
			return 1
		}
		return 0
	})
	return slices.Clone(b.history[i:])
}

// Subscribe returns the events after the given ID and a channel for those
// which follow.
func (b *Broker) Subscribe(after uint64) ([]Event, chan Event) {
	missed := b.Since(after)
	ch := make(chan Event, buffer)
	b.mu.Lock()
	b.subs[ch] = struct{}{}
	b.mu.Unlock()
	return missed, ch
}

// Unsubscribe ends a subscription.
func (b *Broker) Unsubscribe(ch chan Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.subs[ch]; ok {
		delete(b.subs, ch)
		close(ch)
	}
}

// ServeHTTP streams the events to a browser.
func (b *Broker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fl, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "streaming unsupported", http.StatusNotImplemented)
		return
	}
	after, _ := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64)
	missed, ch := b.Subscribe(after)
	defer b.Unsubscribe(ch)

	w.Header().Set("Content-Type", "text/event-stream")
	for _, ev := range missed {
		write(w, ev)
	}
	fl.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case ev, ok := <-ch:
			if !ok {
				return
			}
			write(w, ev)
			fl.Flush()
		}
	}
}

func write(w http.ResponseWriter, ev Event) {
	fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", ev.ID, ev.Name, ev.Data)
}
