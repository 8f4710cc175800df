// Package seats counts the users of shared workspaces on a node and reports
// the numbers to the other nodes: after every change, and regularly while a
// workspace has users here.
package seats

import (
	"errors"
	"sync"
	"time"
)

const heartbeat = 30 * time.Second

var ErrUnknown = errors.New("seats: unknown workspace")

// Report tells how many users a workspace has on a node.
type Report struct {
	Node      string
	Workspace string
	Editors   int
	Viewers   int
	Total     int
}

// Space is a workspace on this node.
type Space struct {
	name string

	mu      sync.RWMutex
	editors map[string]int // number of sessions per user
	viewers map[string]int
	beat    *time.Timer // runs while there are users
}

func (w *Space) numEditors() int { return len(w.editors) }
func (w *Space) numViewers() int { return len(w.viewers) }

func (w *Space) stopBeat() {
	if w.beat != nil {
		w.beat.Stop()
		w.beat = nil
	}
}

// Hub knows the workspaces of a node and sends the reports.
type Hub struct {
	node string
	send func(Report)

	mu     sync.Mutex
	spaces map[string]*Space
	remote map[string]map[string]Report // by workspace and node
	outq   chan Report                  // nil when the hub is stopped
	quit   chan struct{}
	wg     sync.WaitGroup
}

// NewHub starts a hub. The function send is called by one goroutine. It may be
// slow, but it must not call the hub.
func NewHub(node string, send func(Report)) *Hub {
	h := &Hub{
		node:   node,
		send:   send,
		spaces: make(map[string]*Space),
		remote: make(map[string]map[string]Report),
		outq:   make(chan Report, 16),
		quit:   make(chan struct{}),
	}
	h.wg.Add(1)
	go h.sendLoop(h.outq)
	return h
}

func (h *Hub) sendLoop(outq chan Report) {
	defer h.wg.Done()
	for {
		select {
		case r := <-outq:
			h.send(r)
		case <-h.quit:
			return
		}
	}
}

// Space returns the workspace with the given name and makes it if needed.
func (h *Hub) Space(name string) *Space {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.spaces[name]
	if w == nil {
		w = &Space{
			name:    name,
			editors: make(map[string]int),
			viewers: make(map[string]int),
		}
		h.spaces[name] = w
	}
	return w
}

// Join adds a session of a user.
func (h *Hub) Join(w *Space, user string, edit bool) {
	w.mu.Lock()
	set := w.viewers
	if edit {
		set = w.editors
	}
	set[user]++
	first := set[user] == 1
	w.mu.Unlock()

	if first {
		h.spaceChanged(w)
	}
}

// Leave removes a session of a user.
func (h *Hub) Leave(w *Space, user string, edit bool) {
	w.mu.Lock()
	set := w.viewers
	if edit {
		set = w.editors
	}
	n, ok := set[user]
	if n > 1 {
		set[user] = n - 1
	} else {
		delete(set, user)
	}
	w.mu.Unlock()

	if ok && n == 1 {
		h.spaceChanged(w)
	}
}

// spaceChanged is called after a change of the number of users, and by the
// heartbeat.
func (h *Hub) spaceChanged(w *Space) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reportSpace(w)
}

// Refresh reports a workspace because another node has asked for it.
func (h *Hub) Refresh(name string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.spaces[name]
	if w == nil {
		return ErrUnknown
	}
	h.reportSpace(w)
	return nil
}

// reportSpace sends the numbers of a workspace and sets its heartbeat. The
// lock is held on entry and on return, but not while the queue is full. The
// lock of the workspace is held throughout.
func (h *Hub) reportSpace(w *Space) {
	outq := h.outq
	if outq == nil {
		return
	}
	w.mu.Lock()
	h.mu.Unlock()

	editors, viewers := w.numEditors(), w.numViewers()
	total := editors + viewers

	// Come back unless there is nobody.
	if total == 0 {
		w.stopBeat()
	} else if w.beat == nil {
		w.beat = time.AfterFunc(heartbeat, func() { h.spaceChanged(w) })
	} else {
		w.beat.Reset(heartbeat)
	}

	r := Report{
		Node:      h.node,
		Workspace: w.name,
		Editors:   editors,
		Viewers:   viewers,
		Total:     total,
	}
	select {
	case outq <- r:
	case <-h.quit:
	}
	w.mu.Unlock()
	h.mu.Lock()
}

// Heard stores the report of another node. Reports of a node arrive in the
// order in which it has sent them.
func (h *Hub) Heard(r Report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.remote[r.Workspace]
	if r.Total == 0 {
		delete(m, r.Node)
		return
	}
	if m == nil {
		m = make(map[string]Report)
		h.remote[r.Workspace] = m
	}
	m[r.Node] = r
}

// Elsewhere returns the number of users that a workspace has on other nodes.
func (h *Hub) Elsewhere(name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, r := range h.remote[name] {
		n += r.Total
	}
	return n
}

// Stop ends the hub. Reports that are still queued are not sent.
func (h *Hub) Stop() {
	h.mu.Lock()
	if h.outq == nil {
		h.mu.Unlock()
		return
	}
	h.outq = nil
	close(h.quit)
	for _, w := range h.spaces {
		w.mu.Lock()
		w.stopBeat()
		w.mu.Unlock()
	}
	h.mu.Unlock()
	h.wg.Wait()
}
