package protocol

import (
	"context"
	"errors"
	"sync"
)

var ErrClosed = errors.New("connection closed")

type Request struct {
	ID     int
	Name   string
	Offset int64
	Size   int
}

type Response struct {
	ID   int
	Data []byte
	Err  error
}

type asyncResult struct {
	val []byte
	err error
}

type messageConn interface {
	ReadResponse() (*Response, error)
	WriteRequest(*Request) error
	Close() error
}

type asyncMessage struct {
	msg  *Request
	done chan struct{} // done closes when we're done sending the message
}

type rawConnection struct {
	conn messageConn

	awaitingMut sync.Mutex // Protects awaiting and nextID.
	awaiting    map[int]chan asyncResult
	nextID      int

	outbox    chan asyncMessage
	closed    chan struct{}
	closeOnce sync.Once
	loopWG    sync.WaitGroup
}

func NewConnection(conn messageConn) *rawConnection {
	c := &rawConnection{
		conn:     conn,
		awaiting: make(map[int]chan asyncResult),
		outbox:   make(chan asyncMessage),
		closed:   make(chan struct{}),
	}
	c.loopWG.Add(2)
	go func() {
		defer c.loopWG.Done()
		c.readerLoop()
	}()
	go func() {
		defer c.loopWG.Done()
		c.writerLoop()
	}()
	return c
}

// Request returns the bytes for the specified block after fetching them from the connected peer.
func (c *rawConnection) Request(ctx context.Context, name string, offset int64, size int) ([]byte, error) {
	rc := make(chan asyncResult, 1)

	c.awaitingMut.Lock()
	id := c.nextID
	c.nextID++
	c.awaiting[id] = rc
	c.awaitingMut.Unlock()

	ok := c.send(ctx, &Request{ID: id, Name: name, Offset: offset, Size: size}, nil)
	if !ok {
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
		return nil, ctx.Err()
	}
}

func (c *rawConnection) handleResponse(resp *Response) {
	c.awaitingMut.Lock()
	if rc := c.awaiting[resp.ID]; rc != nil {
		delete(c.awaiting, resp.ID)
		rc <- asyncResult{resp.Data, resp.Err}
		close(rc)
	}
	c.awaitingMut.Unlock()
}

func (c *rawConnection) readerLoop() {
	for {
		resp, err := c.conn.ReadResponse()
		if err != nil {
			go c.internalClose(err)
			return
		}
		c.handleResponse(resp)
	}
}

func (c *rawConnection) send(ctx context.Context, msg *Request, done chan struct{}) bool {
	select {
	case c.outbox <- asyncMessage{msg, done}:
		return true
	case <-c.closed:
	case <-ctx.Done():
	}
	if done != nil {
		close(done)
	}
	return false
}

func (c *rawConnection) writerLoop() {
	for {
		select {
		case hm := <-c.outbox:
			err := c.conn.WriteRequest(hm.msg)
			if hm.done != nil {
				close(hm.done)
			}
			if err != nil {
				go c.internalClose(err)
				return
			}
		case <-c.closed:
			return
		}
	}
}

// internalClose is called if there is an unexpected error during normal operation.
func (c *rawConnection) internalClose(err error) {
	c.closeOnce.Do(func() {
		c.conn.Close()
		close(c.closed)

		c.awaitingMut.Lock()
		for i, ch := range c.awaiting {
			if ch != nil {
				close(ch)
				delete(c.awaiting, i)
			}
		}
		c.awaitingMut.Unlock()
	})
	c.loopWG.Wait()
}
