package client

import (
	"errors"
	"log"
	"sync/atomic"
)

type logRecord struct{ Log string }

type monitorHandler struct {
	client *RPCClient
	closed uint32 // atomic
	init   uint32 // atomic
	initCh chan<- error
	logCh  chan<- string
	seq    uint64
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
	select {
	case mh.logCh <- rec.Log:
	default:
		log.Printf("[ERR] Dropping log! Monitor channel full")
	}
}

func (mh *monitorHandler) Cleanup() {
	if atomic.CompareAndSwapUint32(&mh.closed, 0, 1) {
		if atomic.CompareAndSwapUint32(&mh.init, 0, 1) {
			mh.initCh <- errors.New("Stream closed")
		}
		if mh.logCh != nil {
			close(mh.logCh)
		}
	}
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
