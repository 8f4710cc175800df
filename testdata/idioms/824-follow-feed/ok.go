// Package tracking lets customers follow the state of their orders live.
package tracking

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
)

// ErrUnknown is returned for an order that does not exist.
var ErrUnknown = errors.New("tracking: no such order")

// Update is the state of an order. Seq goes up by one with every change.
type Update struct {
	Order string `json:"order"`
	Seq   int    `json:"seq"`
	State string `json:"state"`
	Place string `json:"place,omitempty"`
}

// book holds the current state of all orders.
type book struct {
	mu     sync.RWMutex
	orders map[string]Update
}

func (b *book) current(order string) (Update, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	u, ok := b.orders[order]
	return u, ok
}

// Feed is a subscription to an order.
type Feed struct {
	order string
	ch    chan Update
}

// fanout passes updates on to feeds.
type fanout struct {
	mu    sync.Mutex
	feeds map[string]map[*Feed]struct{}
}

func (f *fanout) subscribe(order string) *Feed {
	feed := &Feed{order: order, ch: make(chan Update, 32)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.feeds[order] == nil {
		f.feeds[order] = make(map[*Feed]struct{})
	}
	f.feeds[order][feed] = struct{}{}
	return feed
}

func (f *fanout) unsubscribe(feed *Feed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(feed)
}

// drop ends a feed unless it has ended. The caller holds f.mu.
func (f *fanout) drop(feed *Feed) {
	set := f.feeds[feed.order]
	if _, ok := set[feed]; !ok {
		return
	}
	delete(set, feed)
	if len(set) == 0 {
		delete(f.feeds, feed.order)
	}
	close(feed.ch)
}

// publish passes u to the feeds of its order; a feed that is too far behind is
// ended.
func (f *fanout) publish(u Update) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for feed := range f.feeds[u.Order] {
		select {
		case feed.ch <- u:
		default:
			f.drop(feed)
		}
	}
}

// Tracker is safe for concurrent use.
type Tracker struct {
	book   book
	fanout fanout
}

// New returns an empty tracker.
func New() *Tracker {
	t := &Tracker{}
	t.book.orders = make(map[string]Update)
	t.fanout.feeds = make(map[string]map[*Feed]struct{})
	return t
}

// Set changes the state of an order, or creates it.
func (t *Tracker) Set(order, state, place string) Update {
	t.book.mu.Lock()
	defer t.book.mu.Unlock()
	u := Update{Order: order, Seq: t.book.orders[order].Seq + 1, State: state, Place: place}
	t.book.orders[order] = u
	t.fanout.publish(u) // in the order of Seq, hence under the lock
	return u
}

// Follow calls fn with the current state of an order and then with every state
// after it, until done is closed, fn fails, or the caller falls too far behind.
func (t *Tracker) Follow(order string, done <-chan struct{}, fn func(Update) error) error {
	feed := t.fanout.subscribe(order)
	defer t.fanout.unsubscribe(feed)
	u, ok := t.book.current(order)
	if !ok {
		return ErrUnknown
	}
	if err := fn(u); err != nil {
		return err
	}
	shown := u.Seq
	for {
		select {
		case u, ok := <-feed.ch:
			if !ok {
				return errors.New("tracking: too slow")
			}
			if u.Seq <= shown {
				continue // part of the state shown first
			}
			if err := fn(u); err != nil {
				return err
			}
			shown = u.Seq
		case <-done:
			return nil
		}
	}
}

// ServeHTTP streams the updates of ?order=….
func (t *Tracker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	order := r.FormValue("order")
	if _, ok := t.book.current(order); !ok {
		http.Error(w, ErrUnknown.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_ = t.Follow(order, r.Context().Done(), func(u Update) error {
		data, err := json.Marshal(u)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "id: %d\ndata: %s\n\n", u.Seq, data); err != nil {
			return err
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		return nil
	})
}
