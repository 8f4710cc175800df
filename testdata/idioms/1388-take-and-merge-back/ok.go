package idiom1388

import (
	"sync"
	"time"
)

type allocUpdate struct {
	id     string
	status string
}

// pendingUpdates collects the newest status of every allocation.
type pendingUpdates struct {
	mu      sync.Mutex
	updates map[string]allocUpdate
}

func (p *pendingUpdates) add(u allocUpdate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.updates[u.id] = u
}

// take empties the set.
func (p *pendingUpdates) take() map[string]allocUpdate {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.updates) == 0 {
		return nil
	}
	u := p.updates
	p.updates = make(map[string]allocUpdate)
	return u
}

// restoreUnacked puts updates back that could not be sent, unless there is a
// newer one of the same allocation.
func (p *pendingUpdates) restoreUnacked(us map[string]allocUpdate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, u := range us {
		if _, ok := p.updates[id]; !ok {
			p.updates[id] = u
		}
	}
}

type client struct {
	pending    pendingUpdates
	rpc        func([]allocUpdate) error
	shutdownCh chan struct{}
}

// New returns a client that syncs in the background.
func New(rpc func([]allocUpdate) error) *client {
	c := &client{
		pending:    pendingUpdates{updates: make(map[string]allocUpdate)},
		rpc:        rpc,
		shutdownCh: make(chan struct{}),
	}
	go c.allocSync()
	return c
}

// AllocStateUpdated is called by the runners, each for its own allocation.
func (c *client) AllocStateUpdated(id, status string) {
	c.pending.add(allocUpdate{id, status})
}

// allocSync is the only caller of take.
func (c *client) allocSync() {
	t := time.NewTicker(200 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-c.shutdownCh:
			return
		case <-t.C:
		}
		us := c.pending.take()
		if us == nil {
			continue
		}
		list := make([]allocUpdate, 0, len(us))
		for _, u := range us {
			list = append(list, u)
		}
		if err := c.rpc(list); err != nil {
			c.pending.restoreUnacked(us)
		}
	}
}

// Close stops the sync loop.
func (c *client) Close() { close(c.shutdownCh) }
