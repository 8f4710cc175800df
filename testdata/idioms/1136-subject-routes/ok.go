// Correct: tables are copied, never changed after they are stored, and only
// replaced by holders of edit, so the several loads of an edit see one table.
// Publish loads once and works on that table; a subscriber that has left since
// refuses the message itself.

// Package ok routes messages to the subscribers of their subject.
package ok

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Message is a published message.
type Message struct {
	Subject string
	Body    []byte
}

// Subscriber gets the messages of its subjects.
type Subscriber struct {
	C    chan Message
	gone chan struct{}
	once sync.Once
}

func (s *Subscriber) left() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

func (s *Subscriber) deliver(m Message) bool {
	if s.left() {
		return false
	}
	select {
	case s.C <- m:
		return true
	case <-s.gone:
		return false
	}
}

type routes map[string][]*Subscriber

// Router is used by all connections.
type Router struct {
	edit  sync.Mutex
	table atomic.Pointer[routes]
	moved atomic.Uint64
}

func New() *Router {
	r := &Router{}
	r.table.Store(&routes{})
	return r
}

func (r *Router) has(subject string, s *Subscriber) bool {
	return slices.Contains((*r.table.Load())[subject], s)
}

func (r *Router) with(subject string, subs []*Subscriber) {
	next := maps.Clone(*r.table.Load())
	if len(subs) == 0 {
		delete(next, subject)
	} else {
		next[subject] = subs
	}
	r.table.Store(&next)
}

// NewSubscriber makes a subscriber without subjects.
func NewSubscriber(depth int) *Subscriber {
	return &Subscriber{C: make(chan Message, depth), gone: make(chan struct{})}
}

// Subscribe adds a subject to a subscriber; twice is as good as once.
func (r *Router) Subscribe(subject string, s *Subscriber) {
	r.edit.Lock()
	defer r.edit.Unlock()
	if s.left() || r.has(subject, s) {
		return
	}
	old := (*r.table.Load())[subject]
	r.with(subject, append(slices.Clone(old), s))
}

// Remove takes a subscriber out of all subjects for good.
func (r *Router) Remove(s *Subscriber) {
	s.once.Do(func() { close(s.gone) })
	r.edit.Lock()
	defer r.edit.Unlock()
	for subject, subs := range *r.table.Load() {
		if !slices.Contains(subs, s) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(subs), func(o *Subscriber) bool { return o == s })
		r.with(subject, rest)
	}
}

// Publish hands m to the subscribers of its subject and counts them.
func (r *Router) Publish(m Message) int {
	n := 0
	for _, s := range (*r.table.Load())[m.Subject] {
		if s.deliver(m) {
			n++
		}
	}
	r.moved.Add(uint64(n))
	return n
}

// Delivered is for the metrics.
func (r *Router) Delivered() uint64 { return r.moved.Load() }
