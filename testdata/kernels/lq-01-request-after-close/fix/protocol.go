package protocol

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"
)

const (
	messageTypeIndex    = 1
	messageTypeRequest  = 2
	messageTypeResponse = 3
	messageTypePing     = 4
	messageTypePong     = 5
)

var ErrClosed = errors.New("connection closed")

type FileInfo struct {
	Name     string
	Modified int64
}

type Model interface {
	Index(nodeID string, n int)
	Request(nodeID string, offset uint64, size uint32) ([]byte, error)
	Close(nodeID string)
}

type asyncResult struct {
	val []byte
	err error
}

type header struct {
	MsgID   uint32
	MsgType uint32
	Len     uint32
}

type Connection struct {
	sync.RWMutex

	ID       string
	receiver Model
	reader   io.Reader
	writer   io.Writer

	closed    bool
	awaiting  map[uint32]chan asyncResult
	nextID    uint32
	indexSent map[string]int64

	lastReceive     time.Time
	lastReceiveLock sync.RWMutex
}

func NewConnection(nodeID string, reader io.Reader, writer io.Writer, receiver Model) *Connection {
	c := &Connection{
		ID:          nodeID,
		receiver:    receiver,
		reader:      reader,
		writer:      writer,
		awaiting:    make(map[uint32]chan asyncResult),
		lastReceive: time.Now(),
	}
	go c.readerLoop()
	return c
}

// Index writes the list of file information to the connected peer node.
func (c *Connection) Index(idx []FileInfo) {
	c.Lock()
	if c.indexSent == nil {
		c.indexSent = make(map[string]int64)
	}
	var n uint32
	for _, f := range idx {
		if modified, ok := c.indexSent[f.Name]; !ok || f.Modified != modified {
			c.indexSent[f.Name] = f.Modified
			n++
		}
	}
	err := c.writeMessage(c.nextID, messageTypeIndex, make([]byte, n))
	c.nextID = (c.nextID + 1) & 0xfff
	c.Unlock()
	if err != nil {
		c.close()
	}
}

// Request returns the bytes for the specified block after fetching them from
// the connected peer.
func (c *Connection) Request(offset uint64, size uint32) ([]byte, error) {
	c.Lock()
	if c.closed {
		c.Unlock()
		return nil, ErrClosed
	}
	rc := make(chan asyncResult, 1)
	c.awaiting[c.nextID] = rc
	var body [12]byte
	binary.BigEndian.PutUint64(body[:], offset)
	binary.BigEndian.PutUint32(body[8:], size)
	if err := c.writeMessage(c.nextID, messageTypeRequest, body[:]); err != nil {
		c.Unlock()
		c.close()
		return nil, err
	}
	c.nextID = (c.nextID + 1) & 0xfff
	c.Unlock()

	res, ok := <-rc
	if !ok {
		return nil, ErrClosed
	}
	return res.val, res.err
}

func (c *Connection) Ping() (time.Duration, bool) {
	c.Lock()
	if c.closed {
		c.Unlock()
		return 0, false
	}
	ch := make(chan asyncResult, 1)
	c.awaiting[c.nextID] = ch
	t0 := time.Now()
	if err := c.writeMessage(c.nextID, messageTypePing, nil); err != nil {
		c.Unlock()
		c.close()
		return 0, false
	}
	c.nextID = (c.nextID + 1) & 0xfff
	c.Unlock()

	_, ok := <-ch
	return time.Since(t0), ok
}

// LastReceive returns the time the last message came in.
func (c *Connection) LastReceive() time.Time {
	c.lastReceiveLock.RLock()
	defer c.lastReceiveLock.RUnlock()
	return c.lastReceive
}

// Must be called with the lock held.
func (c *Connection) writeMessage(id, typ uint32, body []byte) error {
	if err := binary.Write(c.writer, binary.BigEndian, header{id, typ, uint32(len(body))}); err != nil {
		return err
	}
	_, err := c.writer.Write(body)
	return err
}

func (c *Connection) close() {
	c.Lock()
	if c.closed {
		c.Unlock()
		return
	}
	c.closed = true
	for _, ch := range c.awaiting {
		close(ch)
	}
	c.awaiting = nil
	c.Unlock()

	c.receiver.Close(c.ID)
}

// Closed reports whether the connection has been shut down.
func (c *Connection) Closed() bool {
	c.RLock()
	defer c.RUnlock()
	return c.closed
}

func (c *Connection) deliver(id uint32, res asyncResult) {
	c.Lock()
	if rc, ok := c.awaiting[id]; ok {
		delete(c.awaiting, id)
		rc <- res
		close(rc)
	}
	c.Unlock()
}

func (c *Connection) readerLoop() {
	defer c.close()
	for {
		var hdr header
		if err := binary.Read(c.reader, binary.BigEndian, &hdr); err != nil {
			return
		}
		body := make([]byte, hdr.Len&0xfffff)
		if _, err := io.ReadFull(c.reader, body); err != nil {
			return
		}
		c.lastReceiveLock.Lock()
		c.lastReceive = time.Now()
		c.lastReceiveLock.Unlock()

		switch hdr.MsgType {
		case messageTypeIndex:
			c.receiver.Index(c.ID, len(body))
		case messageTypeRequest:
			go c.processRequest(hdr.MsgID, body)
		case messageTypeResponse:
			c.deliver(hdr.MsgID, asyncResult{val: body})
		case messageTypePing:
			c.Lock()
			err := c.writeMessage(hdr.MsgID, messageTypePong, nil)
			c.Unlock()
			if err != nil {
				return
			}
		case messageTypePong:
			c.deliver(hdr.MsgID, asyncResult{})
		default:
			return
		}
	}
}

func (c *Connection) processRequest(id uint32, body []byte) {
	if len(body) != 12 {
		c.close()
		return
	}
	data, _ := c.receiver.Request(c.ID, binary.BigEndian.Uint64(body), binary.BigEndian.Uint32(body[8:]))
	c.Lock()
	err := c.writeMessage(id, messageTypeResponse, data)
	c.Unlock()
	if err != nil {
		c.close()
	}
}
