package doubts

import "sync"

type guest struct{ name string }

func (g *guest) stay() {}

// A Hall does not look at what it replaces: maybe there is nothing.
type Hall struct {
	mu     sync.Mutex
	guests map[string]*guest
}

func (h *Hall) Serve(id string, g *guest) {
	h.mu.Lock()
	h.guests[id] = g
	h.mu.Unlock()
	g.stay()
	h.mu.Lock()
	delete(h.guests, id) // want `check-then-act: h\.guests\[id\] is removed here.*medium confidence: nothing says that two may have one name`
	h.mu.Unlock()
}
