// Package reload has pointers that are found to be set, and read again in a later section.
package reload

import "sync"

type node struct {
	mu  sync.Mutex
	log []string
}

func (n *node) propose(s string) {
	n.mu.Lock()
	n.log = append(n.log, s)
	n.mu.Unlock()
}

type probe struct{ n int }

func (p *probe) ping() int { return p.n }

type sink interface{ Put(string) }

type Hub struct {
	mu    sync.Mutex
	node  *node
	sink  sink
	other *probe
}

func (h *Hub) Reconfigure(check func() string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.node == nil {
		return false
	}
	h.mu.Unlock()
	s := check()
	h.mu.Lock()
	h.node.propose(s) // want `check-then-act: h.node was checked at line 33, but h.mu was released at line 36 and another goroutine may set it to nil before it is read again and followed here`
	return true
}

// The pointer is looked at again.
func (h *Hub) ReconfigureAgain(check func() string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.node == nil {
		return false
	}
	h.mu.Unlock()
	s := check()
	h.mu.Lock()
	if h.node == nil {
		return false
	}
	h.node.propose(s)
	return true
}

// The pointer that was found is the one that is followed.
func (h *Hub) ReconfigureThat(check func() string) bool {
	h.mu.Lock()
	n := h.node
	h.mu.Unlock()
	if n == nil {
		return false
	}
	n.propose(check())
	return true
}

func (h *Hub) Tell(s string) {
	h.mu.Lock()
	there := h.sink != nil
	h.mu.Unlock()
	if there {
		h.mu.Lock()
		h.sink.Put(s) // want `check-then-act: h.sink was checked at line 74, .*set it to nil before it is read again and followed here`
		h.mu.Unlock()
	}
}

// Nobody sets other to nil: another node is as good.
func (h *Hub) Swap() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.other == nil {
		return 0
	}
	h.mu.Unlock()
	h.mu.Lock()
	return h.other.ping()
}

func (h *Hub) SetOther(p *probe) {
	h.mu.Lock()
	h.other = p
	h.mu.Unlock()
}

func (h *Hub) Stop() {
	h.mu.Lock()
	h.node = nil
	h.sink = nil
	h.mu.Unlock()
}
