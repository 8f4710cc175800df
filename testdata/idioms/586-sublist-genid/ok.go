// Package ok routes messages with a cache per connection.
package ok

import (
	"sync"
	"sync/atomic"
)

// Subscription delivers the messages of a subject.
type Subscription struct {
	Subject string
	Deliver func(msg []byte)
}

// result is not changed after it was made.
type result struct {
	subs []*Subscription
}

// Sublist has all subscriptions.
type Sublist struct {
	genid atomic.Uint64 // changes with each insert and remove

	mu   sync.RWMutex
	subs map[string][]*Subscription
}

// NewSublist returns an empty list.
func NewSublist() *Sublist {
	return &Sublist{subs: make(map[string][]*Subscription)}
}

// Insert adds a subscription.
func (s *Sublist) Insert(sub *Subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subs[sub.Subject] = append(s.subs[sub.Subject], sub)
	s.genid.Add(1)
}

// Remove removes a subscription.
func (s *Sublist) Remove(sub *Subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var kept []*Subscription
	for _, o := range s.subs[sub.Subject] {
		if o != sub {
			kept = append(kept, o)
		}
	}
	s.subs[sub.Subject] = kept
	s.genid.Add(1)
}

// Match returns the subscriptions of a subject.
func (s *Sublist) Match(subject string) *result {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return &result{subs: append([]*Subscription(nil), s.subs[subject]...)}
}

const maxResultCacheSize = 512

// Client is one connection. Its read loop calls Publish.
type Client struct {
	sl *Sublist

	// used by the read loop only
	genid   uint64
	results map[string]*result
}

// NewClient returns a connection that publishes to a list.
func NewClient(sl *Sublist) *Client { return &Client{sl: sl} }

// ReadLoop publishes what comes in.
func (c *Client) ReadLoop(in <-chan [2]string) {
	for m := range in {
		c.Publish(m[0], []byte(m[1]))
	}
}

// Publish delivers to those that were subscribed at some time during the call.
func (c *Client) Publish(subject string, msg []byte) int {
	var r *result
	var ok bool
	genid := c.sl.genid.Load()
	if genid == c.genid && c.results != nil {
		r, ok = c.results[subject]
	} else {
		// Reset our L1 completely.
		c.results = make(map[string]*result)
		c.genid = genid
	}

	// Go back to the sublist data structure.
	if !ok {
		r = c.sl.Match(subject)
		// Prune the results cache. Keeps us from unbounded growth.
		if len(c.results) >= maxResultCacheSize {
			clear(c.results)
		}
		c.results[subject] = r
	}
	for _, sub := range r.subs {
		sub.Deliver(msg)
	}
	return len(r.subs)
}

// Serve starts the read loop of a new connection.
func Serve(sl *Sublist, in <-chan [2]string) {
	c := NewClient(sl)
	go c.ReadLoop(in)
}
