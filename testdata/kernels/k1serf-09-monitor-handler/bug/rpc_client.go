// Package client talks to the agent.
package client

import (
	"bufio"
	"encoding/json"
	"errors"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	monitorCommand = "monitor"
	stopCommand    = "stop"
)

var clientClosed = errors.New("client closed")

type requestHeader struct {
	Command string
	Seq     uint64
}

type responseHeader struct {
	Seq   uint64
	Error string
}

type monitorRequest struct{ LogLevel string }

type stopRequest struct{ Stop uint64 }

// StreamHandle is an opaque handle passed to stop to stop streaming
type StreamHandle uint64

// seqHandler interface is used to handle responses
type seqHandler interface {
	Handle(*responseHeader)
	Cleanup()
}

// RPCClient is used to make requests to the agent using an RPC mechanism.
type RPCClient struct {
	seq     uint64
	timeout time.Duration
	conn    net.Conn
	dec     *json.Decoder

	writeLock sync.Mutex
	writer    *bufio.Writer
	enc       *json.Encoder

	dispatchLock sync.Mutex
	dispatch     map[uint64]seqHandler

	shutdownLock sync.Mutex
	shutdown     bool
	shutdownCh   chan struct{}
}

// NewRPCClient serves a connection to an agent.
func NewRPCClient(conn net.Conn, timeout time.Duration) *RPCClient {
	w := bufio.NewWriter(conn)
	client := &RPCClient{
		timeout:    timeout,
		conn:       conn,
		dec:        json.NewDecoder(bufio.NewReader(conn)),
		writer:     w,
		enc:        json.NewEncoder(w),
		dispatch:   make(map[uint64]seqHandler),
		shutdownCh: make(chan struct{}),
	}
	go client.listen()
	return client
}

// IsClosed tells if the client was closed.
func (c *RPCClient) IsClosed() bool {
	c.shutdownLock.Lock()
	defer c.shutdownLock.Unlock()
	return c.shutdown
}

// Close is used to free any resources associated with the client
func (c *RPCClient) Close() error {
	c.shutdownLock.Lock()
	defer c.shutdownLock.Unlock()

	if !c.shutdown {
		c.shutdown = true
		close(c.shutdownCh)
		c.deregisterAll()
		return c.conn.Close()
	}
	return nil
}

// send is used to send an object. send is serialized to prevent write
// overlaps, while properly buffering.
func (c *RPCClient) send(header *requestHeader, obj any) error {
	c.writeLock.Lock()
	defer c.writeLock.Unlock()

	if c.IsClosed() {
		return clientClosed
	}
	if err := c.conn.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
		return err
	}
	if err := c.enc.Encode(header); err != nil {
		return err
	}
	if err := c.enc.Encode(obj); err != nil {
		return err
	}
	return c.writer.Flush()
}

// Stop is used to unsubscribe from logs or event streams
func (c *RPCClient) Stop(handle StreamHandle) error {
	// Deregister locally first to stop delivery
	c.deregisterHandler(uint64(handle))

	header := requestHeader{Command: stopCommand, Seq: c.getSeq()}
	return c.send(&header, &stopRequest{Stop: uint64(handle)})
}

func strToError(s string) error {
	if s != "" {
		return errors.New(s)
	}
	return nil
}

func (c *RPCClient) getSeq() uint64 {
	return atomic.AddUint64(&c.seq, 1)
}

func (c *RPCClient) deregisterAll() {
	c.dispatchLock.Lock()
	defer c.dispatchLock.Unlock()

	for _, seqH := range c.dispatch {
		seqH.Cleanup()
	}
	c.dispatch = make(map[uint64]seqHandler)
}

func (c *RPCClient) deregisterHandler(seq uint64) {
	c.dispatchLock.Lock()
	seqH, ok := c.dispatch[seq]
	delete(c.dispatch, seq)
	c.dispatchLock.Unlock()

	if ok {
		seqH.Cleanup()
	}
}

// handleSeq is used to setup a handler to wait on a response for
// a given sequence number.
func (c *RPCClient) handleSeq(seq uint64, handler seqHandler) {
	c.dispatchLock.Lock()
	defer c.dispatchLock.Unlock()
	c.dispatch[seq] = handler
}

// respondSeq is used to respond to a given sequence number
func (c *RPCClient) respondSeq(seq uint64, respHeader *responseHeader) {
	c.dispatchLock.Lock()
	seqL, ok := c.dispatch[seq]
	c.dispatchLock.Unlock()

	// Get a registered listener, ignore if none
	if ok {
		seqL.Handle(respHeader)
	}
}

// listen is used to processes data coming over the IPC channel,
// and wrote it to the correct destination based on seq no
func (c *RPCClient) listen() {
	defer c.Close()
	for {
		var respHeader responseHeader
		if err := c.dec.Decode(&respHeader); err != nil {
			if !c.IsClosed() {
				log.Printf("[ERR] agent.client: Failed to decode response header: %v", err)
			}
			break
		}
		c.respondSeq(respHeader.Seq, &respHeader)
	}
}
