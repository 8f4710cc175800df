// Package hub fans out changes of service endpoints to the proxies that asked
// for them.
package hub

import "sync"

// Update is one change of a service.
type Update struct {
	Service   string
	Endpoints []string
}

// Subscription receives updates on C. When the reader is slow the oldest
// pending update is dropped, since each one carries the full list.
type Subscription struct {
	C  <-chan Update
	ch chan Update

	hub   *Hub
	group *group
	once  sync.Once
}

// group holds the subscribers of one service.
type group struct {
	service string

	mu      sync.Mutex
	subs    map[*Subscription]struct{}
	last    *Update
	retired bool
}

func (g *group) add(s *Subscription) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.retired {
		return false
	}
	g.subs[s] = struct{}{}
	if g.last != nil {
		s.offer(*g.last)
	}
	return true
}

// remove reports whether the group is empty now.
func (g *group) remove(s *Subscription) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.subs, s)
	close(s.ch)
	return len(g.subs) == 0
}

func (g *group) publish(u Update) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.retired {
		return false
	}
	g.last = &u
	for s := range g.subs {
		s.offer(u)
	}
	return true
}

// offer is called with the lock of the group held; there is no other sender.
func (s *Subscription) offer(u Update) {
	for {
		select {
		case s.ch <- u:
			return
		default:
		}
		select {
		case <-s.ch:
		default:
		}
	}
}

// Hub is safe for concurrent use. Its lock is taken before that of a group.
type Hub struct {
	mu     sync.Mutex
	groups map[string]*group
}

// New returns a hub without subscribers.
func New() *Hub {
	return &Hub{groups: make(map[string]*group)}
}

// Subscribe asks for the updates of a service that are published from now on.
// Where others have subscribed before, the last update comes first.
func (h *Hub) Subscribe(service string) *Subscription {
	ch := make(chan Update, 4)
	s := &Subscription{C: ch, ch: ch, hub: h}
	for {
		g := h.lookup(service, true)
		s.group = g
		if g.add(s) {
			return s
		}
	}
}

// Publish tells the subscribers of a service of a change.
func (h *Hub) Publish(u Update) {
	for {
		g := h.lookup(u.Service, false)
		if g == nil || g.publish(u) {
			return
		}
	}
}

// Close ends a subscription.
func (s *Subscription) Close() {
	s.once.Do(func() {
		if s.group.remove(s) {
			s.hub.retire(s.group)
		}
	})
}

func (h *Hub) lookup(service string, create bool) *group {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.groups[service]
	if g == nil && create {
		g = &group{service: service, subs: make(map[*Subscription]struct{})}
		h.groups[service] = g
	}
	return g
}

// retire takes a group out of the hub if it is still empty.
func (h *Hub) retire(g *group) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.retired || len(g.subs) > 0 {
		return
	}
	g.retired = true
	delete(h.groups, g.service)
}
