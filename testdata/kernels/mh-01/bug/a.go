// Package a keeps a local copy of remote objects and tells handlers about
// every change to them.
package a

import (
	"errors"
	"sync"
)

// Object is one remote object. Objects are never modified once applied.
type Object struct {
	Key     string
	Version int64
	Body    string
}

// Kind says what happened to an object.
type Kind int

const (
	Added Kind = iota
	Updated
	Deleted
)

// Event is what a handler receives. Old is nil for Added, New for Deleted.
type Event struct {
	Kind     Kind
	Old, New *Object
}

// Handler consumes events; for one handler the calls never overlap.
type Handler interface {
	OnEvent(Event)
}

// ErrStopped is returned once the informer has been shut down.
var ErrStopped = errors.New("informer: stopped")

// listener buffers events for one handler, so that a slow handler does not
// hold up the others.
type listener struct {
	h      Handler
	mu     sync.Mutex
	cond   *sync.Cond
	queue  []Event
	closed bool
}

func newListener(h Handler) *listener {
	l := &listener{h: h}
	l.cond = sync.NewCond(&l.mu)
	return l
}

func (l *listener) enqueue(ev Event) {
	l.mu.Lock()
	l.queue = append(l.queue, ev)
	l.mu.Unlock()
	l.cond.Signal()
}

func (l *listener) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cond.Signal()
}

// run delivers the buffered events and returns after the last of them once
// the listener is closed.
func (l *listener) run() {
	for {
		l.mu.Lock()
		for len(l.queue) == 0 && !l.closed {
			l.cond.Wait()
		}
		batch := l.queue
		l.queue = nil
		l.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for _, ev := range batch {
			l.h.OnEvent(ev)
		}
	}
}

// Informer is shared by all the controllers of a process.
type Informer struct {
	mu        sync.RWMutex
	items     map[string]*Object
	listeners []*listener
	stopped   bool
	wg        sync.WaitGroup
}

// NewInformer returns an empty informer.
func NewInformer() *Informer {
	return &Informer{items: make(map[string]*Object)}
}

// Get returns the object with the given key.
func (i *Informer) Get(key string) (*Object, bool) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	o, ok := i.items[key]
	return o, ok
}

// List returns all the objects in no particular order.
func (i *Informer) List() []*Object {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.listLocked()
}

func (i *Informer) listLocked() []*Object {
	out := make([]*Object, 0, len(i.items))
	for _, o := range i.items {
		out = append(out, o)
	}
	return out
}

// Apply records a new version of an object. Versions that are not newer than
// the local one come from a re-list and are dropped.
func (i *Informer) Apply(o *Object) {
	i.mu.Lock()
	defer i.mu.Unlock()
	old := i.items[o.Key]
	if i.stopped || old != nil && old.Version >= o.Version {
		return
	}
	i.items[o.Key] = o
	kind := Added
	if old != nil {
		kind = Updated
	}
	i.distributeLocked(Event{Kind: kind, Old: old, New: o})
}

// Remove forgets an object.
func (i *Informer) Remove(key string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	old, ok := i.items[key]
	if i.stopped || !ok {
		return
	}
	delete(i.items, key)
	i.distributeLocked(Event{Kind: Deleted, Old: old})
}

func (i *Informer) distributeLocked(ev Event) {
	for _, l := range i.listeners {
		l.enqueue(ev)
	}
}

// AddHandler registers h. A handler that joins late first gets an Added event
// for each known object and then every change.
func (i *Informer) AddHandler(h Handler) error {
	l := newListener(h)
	for _, o := range i.List() {
		l.enqueue(Event{Kind: Added, New: o})
	}

	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stopped {
		return ErrStopped
	}
	i.listeners = append(i.listeners, l)
	i.wg.Add(1)
	go func() {
		defer i.wg.Done()
		l.run()
	}()
	return nil
}

// Stop ends all deliveries and waits for the handlers to return.
func (i *Informer) Stop() {
	i.mu.Lock()
	i.stopped = true
	for _, l := range i.listeners {
		l.close()
	}
	i.listeners = nil
	i.mu.Unlock()
	i.wg.Wait()
}
