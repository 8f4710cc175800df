package idiom

import (
	"sync"
	"sync/atomic"
)

// A call is ended by whoever comes first, and that one gives back its part.
type phoneCall struct {
	id    int
	state atomic.Int32
	done  chan struct{}
}

const hungUp = 2

type Phone struct {
	mu     sync.Mutex
	active map[int]*phoneCall
	quota  int
}

func (c *Phone) Open(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active[id] = &phoneCall{id: id, done: make(chan struct{})}
	c.quota--
}

func (c *Phone) Deliver(id int) {
	c.mu.Lock()
	found := c.active[id]
	c.mu.Unlock()
	if found != nil {
		c.finish(found)
	}
}

func (c *Phone) Abort(x *phoneCall) { c.finish(x) }

func (c *Phone) finish(x *phoneCall) {
	if x.state.Swap(hungUp) == hungUp {
		<-x.done
		return
	}
	c.mu.Lock()
	delete(c.active, x.id)
	c.quota++
	c.mu.Unlock()
	close(x.done)
}
