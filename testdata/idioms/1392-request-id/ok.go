package protocol

import (
	"errors"
	"sync"
)

var errClosed = errors.New("connection closed")

type asyncResult struct {
	val []byte
	err error
}

type request struct {
	id   int
	name string
}

type rawConnection struct {
	outbox chan request
	closed chan struct{}
	once   sync.Once

	nextIDMut sync.Mutex
	nextID    int

	awaitingMut sync.Mutex
	awaiting    map[int]chan asyncResult
}

func newConnection() *rawConnection {
	return &rawConnection{
		outbox:   make(chan request),
		closed:   make(chan struct{}),
		awaiting: make(map[int]chan asyncResult),
	}
}

// Request returns the bytes of name after fetching them from the peer.
func (c *rawConnection) Request(name string) ([]byte, error) {
	c.nextIDMut.Lock()
	id := c.nextID
	c.nextID++
	c.nextIDMut.Unlock()

	c.awaitingMut.Lock()
	if _, ok := c.awaiting[id]; ok {
		c.awaitingMut.Unlock()
		panic("id taken")
	}
	rc := make(chan asyncResult, 1)
	c.awaiting[id] = rc
	c.awaitingMut.Unlock()

	select {
	case c.outbox <- request{id, name}:
	case <-c.closed:
		c.forget(id)
		return nil, errClosed
	}
	select {
	case res := <-rc:
		return res.val, res.err
	case <-c.closed:
		c.forget(id)
		return nil, errClosed
	}
}

func (c *rawConnection) forget(id int) {
	c.awaitingMut.Lock()
	delete(c.awaiting, id)
	c.awaitingMut.Unlock()
}

func (c *rawConnection) handleResponse(id int, res asyncResult) {
	c.awaitingMut.Lock()
	defer c.awaitingMut.Unlock()
	if rc := c.awaiting[id]; rc != nil {
		delete(c.awaiting, id)
		rc <- res
	}
}

func (c *rawConnection) Close() { c.once.Do(func() { close(c.closed) }) }
