// Package a keeps a local copy of remote objects and tells handlers of changes.
package a

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

var ErrStopped = errors.New("informer: stopped")

// Object is a versioned object.
type Object struct {
	Key     string
	Version uint64
	Data    any
}

// Delta is a change seen by a reflector.
type Delta struct {
	Deleted bool
	Object  Object
}

// Handler is told of changes, one call at a time.
type Handler interface {
	OnUpdate(o Object)
	OnDelete(o Object)
}

// store is the local copy.
type store struct {
	mu    sync.RWMutex
	items map[string]Object
}

func (s *store) apply(d Delta) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.items[d.Object.Key]
	if ok && old.Version > d.Object.Version {
		return false
	}
	if d.Deleted {
		delete(s.items, d.Object.Key)
		return ok
	}
	s.items[d.Object.Key] = d.Object
	return true
}

func (s *store) list() []Object {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]Object, 0, len(s.items))
	for _, o := range s.items {
		out = append(out, o)
	}
	return out
}

// listener queues the changes of one handler without a bound.
type listener struct {
	h       Handler
	mu      sync.Mutex
	cond    *sync.Cond
	queue   []Delta
	stopped bool
}

func newListener(h Handler) *listener {
	l := &listener{h: h}
	l.cond = sync.NewCond(&l.mu)
	return l
}

func (l *listener) add(d Delta) {
	l.mu.Lock()
	l.queue = append(l.queue, d)
	l.mu.Unlock()
	l.cond.Signal()
}

func (l *listener) stop() {
	l.mu.Lock()
	l.stopped = true
	l.mu.Unlock()
	l.cond.Signal()
}

func (l *listener) run() {
	for {
		l.mu.Lock()
		for len(l.queue) == 0 && !l.stopped {
			l.cond.Wait()
		}
		if l.stopped {
			l.mu.Unlock()
			return
		}
		d := l.queue[0]
		l.queue = l.queue[1:]
		l.mu.Unlock()
		if d.Deleted {
			l.h.OnDelete(d.Object)
		} else {
			l.h.OnUpdate(d.Object)
		}
	}
}

// Informer joins the store and the listeners.
type Informer struct {
	name string

	deltaMu sync.Mutex // serialises the reflectors, one per namespace
	store   store

	mu        sync.RWMutex
	listeners []*listener
	stopped   bool

	deltas atomic.Uint64
	stale  atomic.Uint64
}

// NewInformer returns an empty informer.
func NewInformer(name string) *Informer {
	return &Informer{name: name, store: store{items: make(map[string]Object)}}
}

// HandleDelta is called by the reflectors.
func (i *Informer) HandleDelta(d Delta) {
	i.deltaMu.Lock()
	defer i.deltaMu.Unlock()
	i.deltas.Add(1)
	if !i.store.apply(d) {
		i.stale.Add(1)
		return
	}
	i.mu.RLock()
	defer i.mu.RUnlock()
	for _, l := range i.listeners {
		l.add(d)
	}
}

// AddHandler registers h. It first gets the objects that are there and then
// every change.
func (i *Informer) AddHandler(h Handler) error {
	l := newListener(h)

	i.deltaMu.Lock()
	defer i.deltaMu.Unlock()
	objs := i.store.list()
	for _, o := range objs {
		l.add(Delta{Object: o})
	}

	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stopped {
		return ErrStopped
	}
	i.listeners = append(i.listeners, l)
	go l.run()
	log.Printf("informer %s: handler added, %d objects replayed", i.name, len(objs))
	return nil
}

// Stop ends the delivery to all handlers.
func (i *Informer) Stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stopped {
		return
	}
	i.stopped = true
	for _, l := range i.listeners {
		l.stop()
	}
	i.listeners = nil
}

// Get returns an object of the local copy.
func (i *Informer) Get(key string) (Object, bool) {
	i.store.mu.RLock()
	defer i.store.mu.RUnlock()
	o, ok := i.store.items[key]
	return o, ok
}
