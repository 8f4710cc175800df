package feed

import "sync"

type Event struct {
	Kind string
	Seq  int
}

type client struct {
	mu   sync.Mutex
	out  chan Event
	lost int
}

func (c *client) push(e Event) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case c.out <- e:
		return true
	default:
		c.lost++
		return false
	}
}

func (c *client) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.out)
}

type Feed struct {
	mu      sync.Mutex
	clients map[string]*client
	seq     int
}

func New() *Feed { return &Feed{clients: map[string]*client{}} }

func (f *Feed) Subscribe(name string) <-chan Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.clients[name]
	if !ok {
		c = &client{out: make(chan Event, 8)}
		f.clients[name] = c
	}
	return c.out
}

func (f *Feed) Unsubscribe(name string) {
	f.mu.Lock()
	c, ok := f.clients[name]
	delete(f.clients, name)
	f.mu.Unlock()
	if ok {
		c.end()
	}
}

func (f *Feed) SendTo(name, kind string) bool {
	f.mu.Lock()
	c, ok := f.clients[name]
	f.seq++
	e := Event{Kind: kind, Seq: f.seq}
	f.mu.Unlock()
	return ok && c.push(e)
}
