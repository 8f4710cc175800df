package protocol

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"
)

var ErrClosed = errors.New("connection closed")

type message struct {
	id   int
	data []byte
}

type asyncResult struct {
	val []byte
	err error
}

// Model is told what the connection receives and when it ends.
type Model interface {
	Handle(data []byte) error
	Closed(err error)
}

type rawConnection struct {
	model  Model
	reader io.Reader
	writer io.Writer
	closer io.Closer

	awaitingMut sync.Mutex // Protects awaiting and nextID.
	awaiting    map[int]chan asyncResult
	nextID      int

	inbox                 chan message
	outbox                chan message
	closed                chan struct{}
	closeOnce             sync.Once
	dispatcherLoopStopped chan struct{}
	started               chan struct{}
	startTime             time.Time
	startStopMut          sync.Mutex // start and stop must be serialized

	loopWG sync.WaitGroup // Need to ensure no leftover routines in testing
}

func newRawConnection(rwc io.ReadWriteCloser, model Model) *rawConnection {
	return &rawConnection{
		model:                 model,
		reader:                rwc,
		writer:                rwc,
		closer:                rwc,
		awaiting:              make(map[int]chan asyncResult),
		inbox:                 make(chan message),
		outbox:                make(chan message),
		closed:                make(chan struct{}),
		dispatcherLoopStopped: make(chan struct{}),
		started:               make(chan struct{}),
	}
}

// Start creates the goroutines for sending and receiving of messages. It must
// be called once after creating a connection. It should only be called once,
// subsequent calls will have no effect.
func (c *rawConnection) Start() {
	c.startStopMut.Lock()
	defer c.startStopMut.Unlock()

	select {
	case <-c.started:
		return
	case <-c.closed:
		// we have already closed the connection before starting processing
		// on it.
		return
	default:
	}

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

	c.startTime = time.Now().Truncate(time.Second)
	close(c.started)
}

// Request sends the data and waits for the answer.
func (c *rawConnection) Request(data []byte) ([]byte, error) {
	rc := make(chan asyncResult, 1)

	c.awaitingMut.Lock()
	id := c.nextID
	c.nextID++
	c.awaiting[id] = rc
	c.awaitingMut.Unlock()

	select {
	case c.outbox <- message{id: id, data: data}:
	case <-c.closed:
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

func (c *rawConnection) readerLoop() {
	for {
		buf := make([]byte, 512)
		n, err := c.reader.Read(buf)
		if err != nil {
			c.internalClose(err)
			return
		}
		if n < 4 {
			continue
		}
		select {
		case c.inbox <- message{id: int(binary.BigEndian.Uint32(buf)), data: buf[4:n]}:
		case <-c.closed:
			return
		}
	}
}

func (c *rawConnection) dispatcherLoop() (err error) {
	defer close(c.dispatcherLoopStopped)
	for {
		select {
		case msg := <-c.inbox:
			c.awaitingMut.Lock()
			if rc := c.awaiting[msg.id]; rc != nil {
				delete(c.awaiting, msg.id)
				rc <- asyncResult{msg.data, nil}
				close(rc)
				c.awaitingMut.Unlock()
				continue
			}
			c.awaitingMut.Unlock()
			if err := c.model.Handle(msg.data); err != nil {
				return err
			}
		case <-c.closed:
			return ErrClosed
		}
	}
}

func (c *rawConnection) writerLoop() {
	for {
		select {
		case m := <-c.outbox:
			if _, err := c.writer.Write(append(binary.BigEndian.AppendUint32(nil, uint32(m.id)), m.data...)); err != nil {
				c.internalClose(err)
				return
			}
		case <-c.closed:
			return
		}
	}
}

// Close is called when the connection is regularely closed and thus the Close
// BEP message is sent before terminating the actual connection.
func (c *rawConnection) Close(err error) {
	// Close might be called from a method that is called from within
	// dispatcherLoop, resulting in a deadlock.
	// The sending above must happen before spawning the routine, to prevent
	// the underlying connection from terminating before sending the close msg.
	go c.internalClose(err)
}

// internalClose is called if there is an unexpected error during normal operation.
func (c *rawConnection) internalClose(err error) {
	c.closeOnce.Do(func() {
		c.startStopMut.Lock()

		c.closer.Close()
		close(c.closed)

		c.awaitingMut.Lock()
		for i, ch := range c.awaiting {
			if ch != nil {
				close(ch)
				delete(c.awaiting, i)
			}
		}
		c.awaitingMut.Unlock()

		if !c.startTime.IsZero() {
			// Wait for the dispatcher loop to exit, if it was started to
			// begin with.
			<-c.dispatcherLoopStopped
		}

		c.startStopMut.Unlock()

		// We don't want to call into the model while holding the
		// startStopMut.
		c.model.Closed(err)
	})
}
