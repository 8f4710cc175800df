package rpc

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net"
	"sync"
)

// ID defines a pseudo random number that is used to identify RPC subscriptions.
type ID string

func randomIDGenerator() func() ID {
	return func() ID {
		var b [16]byte
		rand.Read(b[:])
		return ID("0x" + hex.EncodeToString(b[:]))
	}
}

type jsonrpcMessage struct {
	Version string          `json:"jsonrpc,omitempty"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
}

type serviceRegistry struct {
	mu       sync.Mutex
	services map[string]interface{}
}

func (r *serviceRegistry) registerName(name string, rcvr interface{}) error {
	if name == "" {
		return errors.New("no service name for type")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.services == nil {
		r.services = make(map[string]interface{})
	}
	r.services[name] = rcvr
	return nil
}

// handler handles JSON-RPC messages. There is one handler per connection.
type handler struct {
	ctx   context.Context
	idgen func() ID
	reg   *serviceRegistry
}

func newHandler(ctx context.Context, idgen func() ID, reg *serviceRegistry) *handler {
	return &handler{ctx: ctx, idgen: idgen, reg: reg}
}

func (h *handler) handleMsg(msg *jsonrpcMessage) {}

// Client represents a connection to an RPC server.
type Client struct {
	conn    ServerCodec
	h       *handler
	didQuit chan struct{}
}

func initClient(conn ServerCodec, idgen func() ID, services *serviceRegistry) *Client {
	c := &Client{
		conn:    conn,
		h:       newHandler(context.Background(), idgen, services),
		didQuit: make(chan struct{}),
	}
	go c.dispatch()
	return c
}

func (c *Client) dispatch() {
	defer close(c.didQuit)
	defer c.conn.close()
	for {
		msgs, _, err := c.conn.readBatch()
		if err != nil {
			return
		}
		for _, msg := range msgs {
			c.h.handleMsg(msg)
		}
	}
}

// Close closes the client, aborting any in-flight requests.
func (c *Client) Close() {
	<-c.didQuit
}

// jsonCodec reads and writes JSON-RPC messages to the underlying connection.
type jsonCodec struct {
	closer  sync.Once
	closeCh chan interface{}
	conn    net.Conn
	dec     *json.Decoder
}

// NewCodec creates a codec on the given connection.
func NewCodec(conn net.Conn) ServerCodec {
	return &jsonCodec{closeCh: make(chan interface{}), conn: conn, dec: json.NewDecoder(conn)}
}

func (c *jsonCodec) readBatch() ([]*jsonrpcMessage, bool, error) {
	msg := new(jsonrpcMessage)
	if err := c.dec.Decode(msg); err != nil {
		return nil, false, err
	}
	return []*jsonrpcMessage{msg}, false, nil
}

func (c *jsonCodec) close() {
	c.closer.Do(func() {
		close(c.closeCh)
		c.conn.Close()
	})
}

func (c *jsonCodec) closed() <-chan interface{} {
	return c.closeCh
}
