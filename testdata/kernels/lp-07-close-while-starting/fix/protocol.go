package protocol

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// CloseTimeout is the longest we wait to send the close message.
const CloseTimeout = 10 * time.Second

// ErrClosed is returned by a connection that is closed.
var ErrClosed = errors.New("connection closed")

// Model receives the messages of the connection. No method may be called after Closed.
type Model interface {
	Message(msg []byte) error
	Closed(err error)
}

type asyncMessage struct {
	msg  []byte
	done chan struct{}
}

type rawConnection struct {
	model  Model
	rw     io.ReadWriter
	closer io.Closer

	awaitingMut sync.Mutex // Protects awaiting and nextID.
	awaiting    map[int]chan []byte
	nextID      int

	inbox                 chan []byte
	outbox                chan asyncMessage
	closeBox              chan asyncMessage
	dispatcherLoopStopped chan struct{}
	startTime             atomic.Int64
	closed                chan struct{}
	closeOnce             sync.Once
	sendCloseOnce         sync.Once
	startStopMut          sync.Mutex // start and stop must be serialized

	loopWG sync.WaitGroup // Need to ensure no leftover routines
}

// NewConnection makes a connection, which has to be started.
func NewConnection(rw io.ReadWriter, closer io.Closer, model Model) *rawConnection {
	return &rawConnection{
		model:                 model,
		rw:                    rw,
		closer:                closer,
		awaiting:              make(map[int]chan []byte),
		inbox:                 make(chan []byte),
		outbox:                make(chan asyncMessage),
		closeBox:              make(chan asyncMessage),
		dispatcherLoopStopped: make(chan struct{}),
		closed:                make(chan struct{}),
	}
}

// Start creates the goroutines for sending and receiving of messages. It must
// be called exactly once after creating a connection.
func (c *rawConnection) Start() {
	c.startStopMut.Lock()
	defer c.startStopMut.Unlock()
	c.loopWG.Add(3)
	go func() {
		c.readerLoop()
		c.loopWG.Done()
	}()
	go func() {
		err := c.dispatcherLoop()
		c.Close(err)
		c.loopWG.Done()
	}()
	go func() {
		c.writerLoop()
		c.loopWG.Done()
	}()
	c.startTime.Store(time.Now().Unix())
}

// Request sends a request and waits for the response.
func (c *rawConnection) Request(ctx context.Context, msg []byte) ([]byte, error) {
	rc := make(chan []byte, 1)

	c.awaitingMut.Lock()
	select {
	case <-c.closed:
		c.awaitingMut.Unlock()
		return nil, ErrClosed
	default:
	}
	id := c.nextID
	c.nextID++
	c.awaiting[id] = rc
	c.awaitingMut.Unlock()

	if !c.send(ctx, binary.BigEndian.AppendUint32(msg, uint32(id)), nil) {
		return nil, ErrClosed
	}
	select {
	case res, ok := <-rc:
		if !ok {
			return nil, ErrClosed
		}
		return res, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *rawConnection) readMessage(fourByteBuf []byte) ([]byte, error) {
	if _, err := io.ReadFull(c.rw, fourByteBuf); err != nil {
		return nil, err
	}
	msg := make([]byte, binary.BigEndian.Uint32(fourByteBuf))
	_, err := io.ReadFull(c.rw, msg)
	return msg, err
}

func (c *rawConnection) readerLoop() {
	fourByteBuf := make([]byte, 4)
	for {
		msg, err := c.readMessage(fourByteBuf)
		if err != nil {
			c.internalClose(err)
			return
		}
		select {
		case c.inbox <- msg:
		case <-c.closed:
			return
		}
	}
}

func (c *rawConnection) dispatcherLoop() error {
	defer close(c.dispatcherLoopStopped)
	for {
		var msg []byte
		select {
		case msg = <-c.inbox:
		case <-c.closed:
			return ErrClosed
		}
		if err := c.model.Message(msg); err != nil {
			return err
		}
	}
}

func (c *rawConnection) send(ctx context.Context, msg []byte, done chan struct{}) bool {
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
			_, err := c.rw.Write(hm.msg)
			if hm.done != nil {
				close(hm.done)
			}
			if err != nil {
				c.internalClose(err)
				return
			}
		case hm := <-c.closeBox:
			_, _ = c.rw.Write(hm.msg)
			close(hm.done)
			return
		case <-c.closed:
			return
		}
	}
}

// Close is called when the connection should be closed for a local reason.
func (c *rawConnection) Close(err error) {
	c.sendCloseOnce.Do(func() {
		done := make(chan struct{})
		timeout := time.NewTimer(CloseTimeout)
		defer timeout.Stop()
		select {
		case c.closeBox <- asyncMessage{[]byte(err.Error()), done}:
			select {
			case <-done:
			case <-timeout.C:
			case <-c.closed:
			}
		case <-timeout.C:
		case <-c.closed:
		}
	})

	// Close might be called from a method that is called from within
	// dispatcherLoop, resulting in a deadlock.
	go c.internalClose(err)
}

// internalClose is called if there is an unexpected error during normal operation.
func (c *rawConnection) internalClose(err error) {
	c.startStopMut.Lock()
	defer c.startStopMut.Unlock()
	c.closeOnce.Do(func() {
		_ = c.closer.Close()

		c.awaitingMut.Lock()
		close(c.closed)
		for i, ch := range c.awaiting {
			close(ch)
			delete(c.awaiting, i)
		}
		c.awaitingMut.Unlock()

		if c.startTime.Load() != 0 {
			// Wait for the dispatcher loop to exit, if it was started to
			// begin with.
			<-c.dispatcherLoopStopped
		}

		c.model.Closed(err)
	})
}
