package transport

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

const maxPingStrikes = 2

var errClosing = errors.New("transport is closing")

// item is what the writer goroutine takes from the control buffer.
type item interface{ item() }

type dataFrame struct {
	streamID uint32
	d        []byte
}

func (*dataFrame) item() {}

type pingAck struct{ data [8]byte }

func (*pingAck) item() {}

type goAway struct{ reason string }

func (*goAway) item() {}

// framer writes to the connection.
type framer interface {
	WriteData(streamID uint32, d []byte) error
	WritePing(ack bool, data [8]byte) error
	WriteGoAway(reason string) error
}

type pingFrame struct {
	ack  bool
	data [8]byte
}

// controlBuffer is an unbounded queue to the writer.
type controlBuffer struct {
	mu      sync.Mutex
	cond    *sync.Cond
	backlog []item
	closed  bool
}

func newControlBuffer() *controlBuffer {
	b := &controlBuffer{}
	b.cond = sync.NewCond(&b.mu)
	return b
}

func (b *controlBuffer) put(i item) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return errClosing
	}
	b.backlog = append(b.backlog, i)
	b.cond.Signal()
	return nil
}

func (b *controlBuffer) get() (item, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.backlog) == 0 && !b.closed {
		b.cond.Wait()
	}
	if b.closed {
		return nil, false
	}
	i := b.backlog[0]
	b.backlog = b.backlog[1:]
	return i, true
}

func (b *controlBuffer) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.cond.Broadcast()
}

type http2Server struct {
	fr         framer
	controlBuf *controlBuffer
	minTime    time.Duration

	// Used by the reader goroutine only: the time of the last ping and the
	// number of pings that came too soon.
	lastPingAt  time.Time
	pingStrikes uint8
	// Flag to signify that number of ping strikes should be reset to 0.
	// This is set whenever data or header frames are sent.
	// 1 means yes.
	resetPingStrikes uint32 // Accessed atomically.
}

func newHTTP2Server(fr framer, minTime time.Duration) *http2Server {
	t := &http2Server{fr: fr, controlBuf: newControlBuffer(), minTime: minTime}
	go t.loopyWriter()
	return t
}

// HandleStreams is the reader goroutine.
func (t *http2Server) HandleStreams(pings <-chan pingFrame) {
	for f := range pings {
		t.handlePing(f)
	}
	t.controlBuf.close()
}

func (t *http2Server) handlePing(f pingFrame) {
	if f.ack {
		return
	}
	t.controlBuf.put(&pingAck{data: f.data})

	now := time.Now()
	defer func() {
		t.lastPingAt = now
	}()
	// A reset ping strikes means that we don't need to check for policy
	// violation for this ping and the pingStrikes counter should be set
	// to 0.
	if atomic.CompareAndSwapUint32(&t.resetPingStrikes, 1, 0) {
		t.pingStrikes = 0
		return
	}
	if t.lastPingAt.Add(t.minTime).After(now) {
		t.pingStrikes++
	}
	if t.pingStrikes > maxPingStrikes {
		// Send goaway and close the connection.
		t.controlBuf.put(&goAway{reason: "too_many_pings"})
	}
}

// Write is called by the handlers of the streams.
func (t *http2Server) Write(streamID uint32, data []byte) error {
	for len(data) > 0 {
		n := min(len(data), 16384)
		if err := t.controlBuf.put(&dataFrame{streamID: streamID, d: data[:n]}); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// loopyWriter is the writer goroutine.
func (t *http2Server) loopyWriter() {
	for {
		i, ok := t.controlBuf.get()
		if !ok {
			return
		}
		if err := t.itemHandler(i); err != nil {
			t.controlBuf.close()
			return
		}
	}
}

func (t *http2Server) itemHandler(i item) error {
	switch i := i.(type) {
	case *dataFrame:
		// Reset ping strikes when sending data since this might cause
		// the peer to send ping.
		atomic.StoreUint32(&t.resetPingStrikes, 1)
		return t.fr.WriteData(i.streamID, i.d)
	case *pingAck:
		return t.fr.WritePing(true, i.data)
	case *goAway:
		if err := t.fr.WriteGoAway(i.reason); err != nil {
			return err
		}
		return errClosing
	}
	return nil
}
