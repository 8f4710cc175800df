package h2pool

import (
	"errors"
	"sync"
)

var errConnUnusable = errors.New("h2pool: connection not usable")

// Framer writes frames for one connection. It is safe for concurrent use.
type Framer interface {
	WriteHeaders(streamID uint32, req *Request) error
	WriteReset(streamID uint32) error
	Close() error
}

// Request is a call that goes out on one stream.
type Request struct {
	Method string
	Path   string
	Body   []byte
}

// Response is what came back on the stream.
type Response struct {
	Status int
	Body   []byte
}

type stream struct {
	id   uint32
	done chan Response
}

// ClientConn is one connection to an upstream.
type ClientConn struct {
	fr Framer

	wmu sync.Mutex // stream ids go out in order

	mu         sync.Mutex
	streams    map[uint32]*stream
	nextID     uint32
	maxStreams int
	goAway     bool
	reserved   int
}

func newClientConn(fr Framer, maxStreams int) *ClientConn {
	return &ClientConn{
		fr:         fr,
		streams:    make(map[uint32]*stream),
		nextID:     1,
		maxStreams: maxStreams,
	}
}

// reserveNewRequest takes room for a stream if the connection has any.
func (cc *ClientConn) reserveNewRequest() bool {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if !cc.usableLocked() || len(cc.streams)+cc.reserved >= cc.maxStreams {
		return false
	}
	cc.reserved++
	return true
}

func (cc *ClientConn) usableLocked() bool {
	return !cc.goAway && cc.nextID < 1<<31-1
}

// openStream registers a new stream for a caller that got cc from the pool.
func (cc *ClientConn) openStream() (*stream, error) {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	cc.reserved--
	if !cc.usableLocked() {
		return nil, errConnUnusable
	}
	st := &stream{id: cc.nextID, done: make(chan Response, 1)}
	cc.nextID += 2
	cc.streams[st.id] = st
	return st, nil
}

// start opens a stream and sends the headers of req on it.
func (cc *ClientConn) start(req *Request) (*stream, error) {
	cc.wmu.Lock()
	defer cc.wmu.Unlock()
	st, err := cc.openStream()
	if err != nil {
		return nil, err
	}
	if err := cc.fr.WriteHeaders(st.id, req); err != nil {
		cc.forget(st.id)
		return nil, err
	}
	return st, nil
}

func (cc *ClientConn) forget(id uint32) *stream {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	st := cc.streams[id]
	delete(cc.streams, id)
	return st
}

// handleResponse is called by the read loop when a stream is complete.
func (cc *ClientConn) handleResponse(id uint32, resp Response) {
	if st := cc.forget(id); st != nil {
		st.done <- resp
	}
}

// handleGoAway is called by the read loop when the peer wants no new streams.
func (cc *ClientConn) handleGoAway() {
	cc.mu.Lock()
	cc.goAway = true
	cc.mu.Unlock()
}
