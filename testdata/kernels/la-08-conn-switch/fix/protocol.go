package connections

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

type DeviceID string

var (
	ErrClosed               = errors.New("connection closed")
	ErrSwitchingConnections = errors.New("switching connections")
)

// Receiver is what the protocol layer needs of the model.
type Receiver interface {
	// An index was received from the peer device
	Index(deviceID DeviceID, folder string, files []string)
	// The peer device closed the connection
	Closed(conn *rawConnection, err error)
}

type rawConnection struct {
	id       DeviceID
	name     string
	receiver Receiver

	rw io.ReadWriteCloser

	awaiting    map[uint32]chan []byte
	awaitingMut sync.Mutex
	nextID      uint32

	outbox chan []byte
	closed chan struct{}
	once   sync.Once
}

func newRawConnection(id DeviceID, name string, rw io.ReadWriteCloser, receiver Receiver) *rawConnection {
	return &rawConnection{
		id:       id,
		name:     name,
		receiver: receiver,
		rw:       rw,
		awaiting: make(map[uint32]chan []byte),
		outbox:   make(chan []byte),
		closed:   make(chan struct{}),
	}
}

// Start creates the goroutines for sending and receiving of messages. It must
// be called exactly once after creating a connection.
func (c *rawConnection) Start() {
	go c.readerLoop()
	go c.writerLoop()
}

func (c *rawConnection) ID() DeviceID {
	return c.id
}

func (c *rawConnection) String() string {
	return c.name
}

// Request returns the bytes for the specified block after fetching them from the connected peer.
func (c *rawConnection) Request(name string) ([]byte, error) {
	rc := make(chan []byte, 1)

	c.awaitingMut.Lock()
	id := c.nextID
	c.nextID++
	c.awaiting[id] = rc
	c.awaitingMut.Unlock()

	msg := binary.BigEndian.AppendUint32(nil, id)
	select {
	case c.outbox <- append(msg, name...):
	case <-c.closed:
		return nil, ErrClosed
	}
	select {
	case res, ok := <-rc:
		if !ok {
			return nil, ErrClosed
		}
		return res, nil
	case <-c.closed:
		return nil, ErrClosed
	}
}

func (c *rawConnection) readerLoop() {
	r := bufio.NewReader(c.rw)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			c.close(err)
			return
		}
		if len(line) < 5 {
			c.receiver.Index(c.id, string(line), nil)
			continue
		}
		c.handleResponse(binary.BigEndian.Uint32(line), line[4:])
	}
}

func (c *rawConnection) handleResponse(id uint32, data []byte) {
	c.awaitingMut.Lock()
	if rc := c.awaiting[id]; rc != nil {
		delete(c.awaiting, id)
		rc <- data
	}
	c.awaitingMut.Unlock()
}

func (c *rawConnection) writerLoop() {
	for {
		select {
		case msg := <-c.outbox:
			if _, err := c.rw.Write(msg); err != nil {
				c.close(err)
				return
			}
		case <-c.closed:
			return
		}
	}
}

func (c *rawConnection) close(err error) {
	c.once.Do(func() {
		close(c.closed)

		c.awaitingMut.Lock()
		for i, ch := range c.awaiting {
			close(ch)
			delete(c.awaiting, i)
		}
		c.awaitingMut.Unlock()

		c.receiver.Closed(c, err)
	})
}
