// Package ok sends requests over a connection and waits for the responses.
package ok

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned for requests on a closed connection.
var ErrClosed = errors.New("connection closed")

// Message is a request or a response.
type Message struct {
	ID       int
	Response bool
	Data     []byte
}

// Wire transports messages; Close makes the other methods fail.
type Wire interface {
	Read() (Message, error)
	Write(Message) error
	Close() error
}

type asyncResult struct {
	val []byte
	err error
}

type rawConnection struct {
	wire   Wire
	handle func([]byte) []byte

	awaitingMut sync.Mutex // Protects awaiting and nextID.
	awaiting    map[int]chan asyncResult
	nextID      int

	outbox    chan Message
	closed    chan struct{}
	closeOnce sync.Once
}

// NewConnection starts the loops of a connection.
func NewConnection(w Wire, handle func([]byte) []byte) *rawConnection {
	c := &rawConnection{
		wire:     w,
		handle:   handle,
		awaiting: make(map[int]chan asyncResult),
		outbox:   make(chan Message),
		closed:   make(chan struct{}),
	}
	go c.readerLoop()
	go c.writerLoop()
	return c
}

// Request returns the answer of the peer.
func (c *rawConnection) Request(ctx context.Context, data []byte) ([]byte, error) {
	select {
	case <-c.closed:
		return nil, ErrClosed
	default:
	}

	rc := make(chan asyncResult, 1)
	c.awaitingMut.Lock()
	id := c.nextID
	c.nextID++
	c.awaiting[id] = rc
	c.awaitingMut.Unlock()

	if !c.send(ctx, Message{ID: id, Data: data}) {
		c.forget(id)
		return nil, ErrClosed
	}

	select {
	case res, ok := <-rc:
		if !ok {
			return nil, ErrClosed
		}
		return res.val, res.err
	case <-c.closed:
		return nil, ErrClosed
	case <-ctx.Done():
		c.forget(id)
		return nil, ctx.Err()
	}
}

func (c *rawConnection) forget(id int) {
	c.awaitingMut.Lock()
	delete(c.awaiting, id)
	c.awaitingMut.Unlock()
}

func (c *rawConnection) send(ctx context.Context, msg Message) bool {
	select {
	case c.outbox <- msg:
		return true
	case <-c.closed:
	case <-ctx.Done():
	}
	return false
}

func (c *rawConnection) readerLoop() {
	for {
		msg, err := c.wire.Read()
		if err != nil {
			c.Close()
			return
		}
		if msg.Response {
			c.handleResponse(msg)
			continue
		}
		go func() {
			c.send(context.Background(), Message{ID: msg.ID, Response: true, Data: c.handle(msg.Data)})
		}()
	}
}

func (c *rawConnection) handleResponse(resp Message) {
	c.awaitingMut.Lock()
	defer c.awaitingMut.Unlock()
	if rc := c.awaiting[resp.ID]; rc != nil {
		delete(c.awaiting, resp.ID)
		rc <- asyncResult{resp.Data, nil}
		close(rc)
	}
}

func (c *rawConnection) writerLoop() {
	for {
		select {
		case msg := <-c.outbox:
			if err := c.wire.Write(msg); err != nil {
				c.Close()
				return
			}
		case <-c.closed:
			return
		}
	}
}

// Close ends all requests that wait. It may be called more than once, by the
// loops too.
func (c *rawConnection) Close() {
	c.closeOnce.Do(func() {
		c.wire.Close()
		close(c.closed)

		c.awaitingMut.Lock()
		for i, ch := range c.awaiting {
			close(ch)
			delete(c.awaiting, i)
		}
		c.awaitingMut.Unlock()
	})
}
