package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
)

var (
	ErrClientQuit                = errors.New("client is closed")
	ErrSubscriptionQueueOverflow = errors.New("subscription queue overflow")
)

const (
	maxClientSubscriptionBuffer = 20000
	unsubscribeMethodSuffix     = "_unsubscribe"
)

type jsonrpcMessage struct {
	ID     uint64          `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

type subscriptionResult struct {
	ID     string          `json:"subscription"`
	Result json.RawMessage `json:"result,omitempty"`
}

type conn interface {
	ReadMessage() (*jsonrpcMessage, error)
	WriteMessage(*jsonrpcMessage) error
	Close() error
}

type requestOp struct {
	resp chan *jsonrpcMessage // receives up to len(ids) responses
	sub  *ClientSubscription  // only set for EthSubscribe requests
}

// Client represents a connection to an RPC server.
type Client struct {
	conn   conn
	quit   chan struct{}
	closed sync.Once

	writeMu sync.Mutex

	mu         sync.Mutex
	nextID     uint64
	respWait   map[uint64]*requestOp
	clientSubs map[string]*ClientSubscription
}

func NewClient(c conn) *Client {
	cl := &Client{
		conn:       c,
		quit:       make(chan struct{}),
		respWait:   make(map[uint64]*requestOp),
		clientSubs: make(map[string]*ClientSubscription),
	}
	go cl.dispatch()
	return cl
}

// Close closes the client, aborting any in-flight requests.
func (c *Client) Close() {
	c.closed.Do(func() {
		close(c.quit)
		c.conn.Close()
	})
}

// dispatch is the main loop of the client. It delivers responses and
// notifications.
func (c *Client) dispatch() {
	defer c.cancelAllRequests(ErrClientQuit)
	for {
		msg, err := c.conn.ReadMessage()
		if err != nil {
			return
		}
		if msg.Method != "" {
			c.handleSubscriptionResult(msg)
		} else {
			c.handleResponse(msg)
		}
	}
}

func (c *Client) handleSubscriptionResult(msg *jsonrpcMessage) {
	var result subscriptionResult
	if err := json.Unmarshal(msg.Params, &result); err != nil {
		return
	}
	c.mu.Lock()
	sub := c.clientSubs[result.ID]
	c.mu.Unlock()
	if sub != nil {
		sub.deliver(result.Result)
	}
}

func (c *Client) handleResponse(msg *jsonrpcMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	op := c.respWait[msg.ID]
	if op == nil {
		return
	}
	delete(c.respWait, msg.ID)
	// For subscription responses, start the subscription if the server
	// indicates success.
	if op.sub != nil && json.Unmarshal(msg.Result, &op.sub.subid) == nil {
		go op.sub.run()
		c.clientSubs[op.sub.subid] = op.sub
	}
	op.resp <- msg
}

// cancelAllRequests unblocks and removes pending requests and active
// subscriptions.
func (c *Client) cancelAllRequests(err error) {
	c.Close()
	c.mu.Lock()
	subs := make([]*ClientSubscription, 0, len(c.clientSubs))
	for id, sub := range c.clientSubs {
		delete(c.clientSubs, id)
		subs = append(subs, sub)
	}
	c.mu.Unlock()
	for _, sub := range subs {
		sub.close(err)
	}
}

func (c *Client) send(ctx context.Context, method string, arg interface{}, sub *ClientSubscription) (*jsonrpcMessage, error) {
	params, err := json.Marshal(arg)
	if err != nil {
		return nil, err
	}
	op := &requestOp{resp: make(chan *jsonrpcMessage, 1), sub: sub}
	c.mu.Lock()
	c.nextID++
	id := c.nextID
	c.respWait[id] = op
	c.mu.Unlock()

	c.writeMu.Lock()
	err = c.conn.WriteMessage(&jsonrpcMessage{ID: id, Method: method, Params: params})
	c.writeMu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		c.mu.Lock()
		_, pending := c.respWait[id]
		delete(c.respWait, id)
		c.mu.Unlock()
		if !pending {
			// The response has come meanwhile.
			return <-op.resp, nil
		}
		return nil, ctx.Err()
	case <-c.quit:
		return nil, ErrClientQuit
	case resp := <-op.resp:
		return resp, nil
	}
}

// Call performs a JSON-RPC call with the given argument.
func (c *Client) Call(result interface{}, method string, arg interface{}) error {
	resp, err := c.send(context.Background(), method, arg, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(resp.Result, result)
}

// Subscribe registers a subscription under the given namespace. Slow
// subscribers will be dropped eventually.
func (c *Client) Subscribe(ctx context.Context, namespace string, channel chan<- *Header, arg interface{}) (*ClientSubscription, error) {
	sub := newClientSubscription(c, namespace, channel)
	if _, err := c.send(ctx, namespace+"_subscribe", arg, sub); err != nil {
		return nil, err
	}
	return sub, nil
}
