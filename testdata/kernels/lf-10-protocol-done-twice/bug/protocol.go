package protocol

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// ErrClosed is returned for operations on a closed connection.
var ErrClosed = errors.New("connection closed")

type DeviceID [32]byte

type messageType byte

const (
	messageTypeRequest messageType = iota
	messageTypeResponse
	messageTypePing
	messageTypeClose
)

const (
	// PingSendInterval is how often we make sure to send a message, by
	// triggering pings if necessary.
	PingSendInterval = 90 * time.Second

	maxMessageLen = 500 * 1000 * 1000
)

// The Model is what the connection delivers its messages to.
type Model interface {
	// A request was made by the peer device
	Request(deviceID DeviceID, name string, size int32, offset int64) (RequestResponse, error)
	// The peer device closed the connection
	Closed(conn *rawConnection, err error)
}

// RequestResponse is the answer of the model to a request.
type RequestResponse interface {
	Data() []byte
	Close() // Must always be called once the byte slice is no longer in use
	Wait()  // Blocks until Close is called
}

type rawConnection struct {
	id       DeviceID
	name     string
	receiver Model

	cr io.Reader
	cw *countingWriter

	awaiting    map[int32]chan asyncResult
	awaitingMut sync.Mutex

	nextID    int32
	nextIDMut sync.Mutex

	outbox        chan asyncMessage
	closed        chan struct{}
	closeOnce     sync.Once
	sendCloseOnce sync.Once
}

type asyncResult struct {
	val []byte
	err error
}

type asyncMessage struct {
	msg  message
	done chan struct{} // done closes when we're done sending the message
}

func NewConnection(deviceID DeviceID, reader io.Reader, writer io.Writer, receiver Model, name string) *rawConnection {
	return &rawConnection{
		id:       deviceID,
		name:     name,
		receiver: receiver,
		cr:       reader,
		cw:       &countingWriter{Writer: writer},
		awaiting: make(map[int32]chan asyncResult),
		outbox:   make(chan asyncMessage),
		closed:   make(chan struct{}),
	}
}

// Start creates the goroutines for sending and receiving of messages. It must
// be called exactly once after creating a connection.
func (c *rawConnection) Start() {
	go func() {
		err := c.readerLoop()
		c.internalClose(err)
	}()
	go c.writerLoop()
	go c.pingSender()
}

func (c *rawConnection) ID() DeviceID {
	return c.id
}

func (c *rawConnection) Name() string {
	return c.name
}

// Request returns the bytes for the specified block after fetching them from the connected peer.
func (c *rawConnection) Request(name string, offset int64, size int) ([]byte, error) {
	c.nextIDMut.Lock()
	id := c.nextID
	c.nextID++
	c.nextIDMut.Unlock()

	rc := make(chan asyncResult, 1)
	c.awaitingMut.Lock()
	c.awaiting[id] = rc
	c.awaitingMut.Unlock()

	ok := c.send(&Request{
		ID:     id,
		Name:   name,
		Offset: offset,
		Size:   int32(size),
	}, nil)
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
	}
}

func (c *rawConnection) Closed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

func (c *rawConnection) ping() bool {
	return c.send(&Ping{}, nil)
}

func (c *rawConnection) readerLoop() error {
	for {
		if c.Closed() {
			return ErrClosed
		}

		msg, err := c.readMessage()
		if err != nil {
			return err
		}

		switch msg := msg.(type) {
		case *Request:
			// Requests are handled asynchronously
			go c.handleRequest(*msg)

		case *Response:
			c.handleResponse(*msg)

		case *Ping:
			// Nothing

		case *Close:
			return errors.New(msg.Reason)

		default:
			return fmt.Errorf("protocol error: %s: unknown message type", c.name)
		}
	}
}

func (c *rawConnection) handleRequest(req Request) {
	res, err := c.receiver.Request(c.id, req.Name, req.Size, req.Offset)
	if err != nil {
		c.send(&Response{
			ID:   req.ID,
			Code: 1,
		}, nil)
		return
	}
	done := make(chan struct{})
	c.send(&Response{
		ID:   req.ID,
		Data: res.Data(),
	}, done)
	<-done
	res.Close()
}

func (c *rawConnection) handleResponse(resp Response) {
	c.awaitingMut.Lock()
	if rc := c.awaiting[resp.ID]; rc != nil {
		delete(c.awaiting, resp.ID)
		var err error
		if resp.Code != 0 {
			err = fmt.Errorf("request failed with code %d", resp.Code)
		}
		rc <- asyncResult{resp.Data, err}
		close(rc)
	}
	c.awaitingMut.Unlock()
}

func (c *rawConnection) send(msg message, done chan struct{}) bool {
	defer func() {
		if done != nil {
			close(done)
		}
	}()
	select {
	case c.outbox <- asyncMessage{msg, done}:
		return true
	case <-c.closed:
		return false
	}
}

func (c *rawConnection) writerLoop() {
	for {
		select {
		case hm := <-c.outbox:
			err := c.writeMessage(hm)
			if hm.done != nil {
				close(hm.done)
			}
			if err != nil {
				c.internalClose(err)
				return
			}

		case <-c.closed:
			return
		}
	}
}

func (c *rawConnection) writeMessage(hm asyncMessage) error {
	buf := make([]byte, 5, 5+hm.msg.size())
	buf = hm.msg.appendTo(buf)
	buf[0] = byte(hm.msg.typ())
	binary.BigEndian.PutUint32(buf[1:], uint32(len(buf)-5))
	if _, err := c.cw.Write(buf); err != nil {
		return fmt.Errorf("writing message: %v", err)
	}
	return nil
}

func (c *rawConnection) readMessage() (message, error) {
	var hdr [5]byte
	if _, err := io.ReadFull(c.cr, hdr[:]); err != nil {
		return nil, fmt.Errorf("reading header: %v", err)
	}
	msgLen := binary.BigEndian.Uint32(hdr[1:])
	if msgLen > maxMessageLen {
		return nil, fmt.Errorf("message length %d exceeds maximum %d", msgLen, maxMessageLen)
	}
	buf := make([]byte, msgLen)
	if _, err := io.ReadFull(c.cr, buf); err != nil {
		return nil, fmt.Errorf("reading message: %v", err)
	}
	return decodeMessage(messageType(hdr[0]), buf)
}

// Close is called when the connection is regularely closed and thus the Close
// BEP message is sent before terminating the actual connection. The error
// argument specifies the reason for closing the connection.
func (c *rawConnection) Close(err error) {
	c.sendCloseOnce.Do(func() {
		done := make(chan struct{})
		c.send(&Close{err.Error()}, done)
		select {
		case <-done:
		case <-c.closed:
		}
	})

	c.internalClose(err)
}

// internalClose is called if there is an unexpected error during normal operation.
func (c *rawConnection) internalClose(err error) {
	c.closeOnce.Do(func() {
		close(c.closed)

		c.awaitingMut.Lock()
		for i, ch := range c.awaiting {
			if ch != nil {
				close(ch)
				delete(c.awaiting, i)
			}
		}
		c.awaitingMut.Unlock()

		// No more sends are necessary, therefore further steps to close the
		// connection outside of this package can proceed immediately.
		// And this prevents a potential deadlock.
		go c.receiver.Closed(c, err)
	})
}

// The pingSender makes sure that we've sent a message within the last
// PingSendInterval. If we already have something sent in the last
// PingSendInterval/2, we do nothing. Otherwise we send a ping message. This
// results in an effecting ping interval of somewhere between
// PingSendInterval/2 and PingSendInterval.
func (c *rawConnection) pingSender() {
	ticker := time.NewTicker(PingSendInterval / 2)
	defer ticker.Stop()

	for {
		select {
		case <-ticker.C:
			if time.Since(c.cw.Last()) < PingSendInterval/2 {
				continue
			}
			c.ping()

		case <-c.closed:
			return
		}
	}
}
