package client

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

type logRecord struct{ Log string }

type monitorHandler struct {
	client *RPCClient
	seq    uint64

	// Once the initial response has been received, init is atomically
	// set and the initial response is put into initCh.
	init   uint32 // atomic
	initCh chan<- error

	// The two following fields are protected by the mutex.
	mtx    sync.Mutex
	closed bool
	logCh  chan<- string
}

func (mh *monitorHandler) Handle(resp *responseHeader) {
	// Initialize on the first response
	if atomic.CompareAndSwapUint32(&mh.init, 0, 1) {
		mh.initCh <- strToError(resp.Error)
		return
	}

	// Decode logs for all other responses
	var rec logRecord
	if err := mh.client.dec.Decode(&rec); err != nil {
		log.Printf("[ERR] Failed to decode log: %v", err)
		mh.client.deregisterHandler(mh.seq)
		return
	}

	// Take the mutex for the remainder of this function to ensure safe access to member variables
	mh.mtx.Lock()
	defer mh.mtx.Unlock()

	// If we're closed, dump the response
	if mh.closed {
		log.Printf("[WARN] Dropping monitor response, handler closed")
		return
	}

	// Not closed, so feed the response to the channel
	select {
	case mh.logCh <- rec.Log:
	default:
		log.Printf("[ERR] Dropping log! Monitor channel full")
	}
}

func (mh *monitorHandler) Cleanup() {
	if atomic.CompareAndSwapUint32(&mh.init, 0, 1) {
		mh.initCh <- errors.New("Stream closed")
	}

	mh.mtx.Lock()
	defer mh.mtx.Unlock()

	if mh.closed {
		return
	}
	if mh.logCh != nil {
		close(mh.logCh)
	}
	mh.closed = true
}

// Monitor is used to subscribe to the logs of the agent
func (c *RPCClient) Monitor(level string, ch chan<- string) (StreamHandle, error) {
	seq := c.getSeq()
	header := requestHeader{Command: monitorCommand, Seq: seq}

	// Create a monitor handler
	initCh := make(chan error, 1)
	c.handleSeq(seq, &monitorHandler{client: c, initCh: initCh, logCh: ch, seq: seq})
	return c.start(&header, &monitorRequest{LogLevel: level}, initCh)
}

// start sends the request and waits for the first response.
func (c *RPCClient) start(header *requestHeader, req any, initCh <-chan error) (StreamHandle, error) {
	if err := c.send(header, req); err != nil {
		c.deregisterHandler(header.Seq)
		return 0, err
	}

	// Wait for a response
	select {
	case err := <-initCh:
		return StreamHandle(header.Seq), err
	case <-c.shutdownCh:
		c.deregisterHandler(header.Seq)
		return 0, clientClosed
	}
}
