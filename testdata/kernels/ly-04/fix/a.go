package a

import (
	"errors"
	"math"
	"sync"
)

var ErrConnClosing = errors.New("transport: the connection is closing")

// quotaPool is a pool which accumulates the quota and sends it to acquire()
// when it is available.
type quotaPool struct {
	mu     sync.Mutex
	cond   *sync.Cond
	quota  int
	closed bool
}

func newQuotaPool(q int) *quotaPool {
	qb := &quotaPool{quota: q}
	qb.cond = sync.NewCond(&qb.mu)
	return qb
}

// add adds n to the available quota.
func (qb *quotaPool) add(n int) {
	qb.mu.Lock()
	defer qb.mu.Unlock()
	qb.quota += n
	qb.cond.Broadcast()
}

// acquire waits for one unit of quota.
func (qb *quotaPool) acquire() error {
	qb.mu.Lock()
	defer qb.mu.Unlock()
	for qb.quota <= 0 && !qb.closed {
		qb.cond.Wait()
	}
	if qb.closed {
		return ErrConnClosing
	}
	qb.quota--
	return nil
}

func (qb *quotaPool) close() {
	qb.mu.Lock()
	defer qb.mu.Unlock()
	qb.closed = true
	qb.cond.Broadcast()
}

// Stream represents an RPC in the transport layer.
type Stream struct {
	id     uint32
	method string
	// updateStreams indicates whether the transport's streamsQuota needed
	// to be updated when this stream is closed. It is false when the transport
	// sticks to the initial infinite value of the number of concurrent streams.
	// True otherwise.
	updateStreams bool
}

type settings struct {
	ack                  bool
	maxConcurrentStreams uint32
}

// http2Client implements the client side of a transport.
type http2Client struct {
	frames <-chan settings
	write  func(id uint32, method string) error

	mu            sync.Mutex
	closing       bool
	activeStreams map[uint32]*Stream
	nextID        uint32
	// The max number of concurrent streams. Nil as long as the server has not
	// limited it.
	streamsQuota *quotaPool
	maxStreams   int
}

func newHTTP2Client(frames <-chan settings, write func(uint32, string) error) *http2Client {
	t := &http2Client{
		frames:        frames,
		write:         write,
		activeStreams: map[uint32]*Stream{},
		nextID:        1,
		maxStreams:    math.MaxInt32,
	}
	go t.reader()
	return t
}

// newStream creates a stream. t.mu must be held.
func (t *http2Client) newStream(method string, sq bool) *Stream {
	s := &Stream{id: t.nextID, method: method, updateStreams: sq}
	t.nextID += 2
	return s
}

// NewStream creates a stream and registers it into the transport as "active".
func (t *http2Client) NewStream(method string) (*Stream, error) {
	t.mu.Lock()
	if t.closing {
		t.mu.Unlock()
		return nil, ErrConnClosing
	}
	sq := t.streamsQuota
	t.mu.Unlock()
	if sq != nil {
		if err := sq.acquire(); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	if t.closing {
		t.mu.Unlock()
		return nil, ErrConnClosing
	}
	s := t.newStream(method, sq != nil)
	t.activeStreams[s.id] = s
	t.mu.Unlock()
	if err := t.write(s.id, method); err != nil {
		t.CloseStream(s)
		return nil, err
	}
	return s, nil
}

// CloseStream clears the footprint of a stream when the stream is not needed any more.
// This must not be executed in reader's goroutine.
func (t *http2Client) CloseStream(s *Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.activeStreams[s.id]; !ok {
		return
	}
	delete(t.activeStreams, s.id)
	if s.updateStreams {
		t.streamsQuota.add(1)
	}
}

// Close kicks off the shutdown process of the transport.
func (t *http2Client) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closing = true
	if t.streamsQuota != nil {
		t.streamsQuota.close()
	}
}

func (t *http2Client) handleSettings(f *settings) {
	if f.ack {
		return
	}
	v := int(f.maxConcurrentStreams)
	if v > math.MaxInt32 {
		v = math.MaxInt32
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.streamsQuota == nil {
		t.streamsQuota = newQuotaPool(v)
	} else {
		t.streamsQuota.add(v - t.maxStreams)
	}
	t.maxStreams = v
}

// reader runs as a separate goroutine in charge of the frames from network.
func (t *http2Client) reader() {
	for f := range t.frames {
		t.handleSettings(&f)
	}
	t.Close()
}
