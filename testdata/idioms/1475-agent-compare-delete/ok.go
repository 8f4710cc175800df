// Package tunnel connects agents behind NAT to the proxy's front end.
package tunnel

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

var ErrOffline = errors.New("tunnel: agent is offline")

// link is the current connection of an agent.
type link struct {
	agent string
	conn  net.Conn

	mu sync.Mutex // serialises writers
}

func (l *link) send(p []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.conn.Write(p)
	return err
}

// Hub knows the link of every agent that is online.
type Hub struct {
	links sync.Map // agent id -> *link
}

// Attach registers a connection; an agent that dials again replaces its
// former link.
func (h *Hub) Attach(agent string, conn net.Conn) {
	l := &link{agent: agent, conn: conn}
	if old, ok := h.links.Swap(agent, l); ok {
		_ = old.(*link).conn.Close()
	}
	go h.receive(l)
}

// receive discards ping replies until the connection ends.
func (h *Hub) receive(l *link) {
	_, _ = io.Copy(io.Discard, l.conn)
	h.detach(l)
}

// detach forgets the link unless the agent has a newer one.
func (h *Hub) detach(l *link) {
	_ = l.conn.Close()
	h.links.CompareAndDelete(l.agent, l)
}

func (h *Hub) find(agent string) (*link, bool) {
	v, ok := h.links.Load(agent)
	if !ok {
		return nil, false
	}
	return v.(*link), true
}

// Send forwards a request to the agent.
func (h *Hub) Send(agent string, p []byte) error {
	l, ok := h.find(agent)
	if !ok {
		return ErrOffline
	}
	if err := l.send(p); err != nil {
		h.detach(l)
		return err
	}
	return nil
}

// KeepAlive pings the agents; a link that cannot be written to is given up.
func (h *Hub) KeepAlive(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, l := range h.all() {
			if err := l.send([]byte{0}); err != nil {
				h.detach(l)
			}
		}
	}
}

func (h *Hub) all() []*link {
	var links []*link
	h.links.Range(func(_, v any) bool {
		links = append(links, v.(*link))
		return true
	})
	return links
}

// ServeHTTP handles POST /agents/{id}.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<16))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := h.Send(r.PathValue("id"), body); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}
