// Package ok keeps a copy of remote items and tells listeners of changes.
package ok

import (
	"errors"
	"sync"
)

// Item is a versioned item.
type Item struct {
	Key     string
	Version int
}

// Notice is sent to listeners.
type Notice struct {
	Old, New *Item
	First    bool
}

// shelf is the copy of the items.
type shelf struct {
	mu    sync.RWMutex
	items map[string]Item
}

func (s *shelf) put(it Item) (old Item, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok = s.items[it.Key]
	s.items[it.Key] = it
	return old, ok
}

func (s *shelf) remove(key string) (old Item, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok = s.items[key]
	delete(s.items, key)
	return old, ok
}

func (s *shelf) list() []Item {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]Item, 0, len(s.items))
	for _, it := range s.items {
		all = append(all, it)
	}
	return all
}

// listener gets notices through a queue of its own.
type listener struct {
	handle func(Notice)

	mu    sync.Mutex
	cond  sync.Cond
	queue []Notice
	ended bool
}

func newListener(handle func(Notice)) *listener {
	l := &listener{handle: handle}
	l.cond.L = &l.mu
	return l
}

func (l *listener) add(n Notice) {
	l.mu.Lock()
	l.queue = append(l.queue, n)
	l.mu.Unlock()
	l.cond.Signal()
}

func (l *listener) end() {
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.cond.Signal()
}

func (l *listener) run() {
	for {
		l.mu.Lock()
		for len(l.queue) == 0 && !l.ended {
			l.cond.Wait()
		}
		if len(l.queue) == 0 {
			l.mu.Unlock()
			return
		}
		n := l.queue[0]
		l.queue = l.queue[1:]
		l.mu.Unlock()
		l.handle(n)
	}
}

// hub distributes notices.
type hub struct {
	mu        sync.RWMutex
	listeners []*listener
}

func (h *hub) register(l *listener) {
	h.mu.Lock()
	h.listeners = append(h.listeners, l)
	h.mu.Unlock()
	go l.run()
}

func (h *hub) distribute(n Notice) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, l := range h.listeners {
		l.add(n)
	}
}

// Mirror is the copy and its listeners.
type Mirror struct {
	shelf shelf
	hub   hub

	stateMu sync.Mutex
	stopped bool

	// deliveryMu is held over each delivery.
	deliveryMu sync.Mutex
}

// NewMirror returns an empty mirror.
func NewMirror() *Mirror {
	m := &Mirror{}
	m.shelf.items = make(map[string]Item)
	return m
}

// Listen registers a handler; it first gets the items that exist.
func (m *Mirror) Listen(handle func(Notice)) error {
	m.stateMu.Lock()
	defer m.stateMu.Unlock()
	if m.stopped {
		return errors.New("mirror has stopped already")
	}
	l := newListener(handle)

	m.deliveryMu.Lock()
	defer m.deliveryMu.Unlock()
	m.hub.register(l)
	for _, it := range m.shelf.list() {
		l.add(Notice{New: &it, First: true})
	}
	return nil
}

// Deliver is called for each change of the remote side.
func (m *Mirror) Deliver(it Item, gone bool) {
	m.deliveryMu.Lock()
	defer m.deliveryMu.Unlock()
	if gone {
		if old, ok := m.shelf.remove(it.Key); ok {
			m.hub.distribute(Notice{Old: &old})
		}
		return
	}
	n := Notice{New: &it}
	if old, ok := m.shelf.put(it); ok {
		n.Old = &old
	}
	m.hub.distribute(n)
}

// Stop ends all listeners.
func (m *Mirror) Stop() {
	m.stateMu.Lock()
	defer m.stateMu.Unlock()
	m.stopped = true
	m.hub.mu.RLock()
	defer m.hub.mu.RUnlock()
	for _, l := range m.hub.listeners {
		l.end()
	}
}
