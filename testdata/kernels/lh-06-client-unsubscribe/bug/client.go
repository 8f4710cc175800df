package rpc

import (
	"encoding/json"
)

type jsonrpcMessage struct {
	Method string          `json:"method,omitempty"`
	Sub    string          `json:"sub,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// Client represents a connection to an RPC server.
type Client struct {
	// for dispatch
	readOp   chan *jsonrpcMessage
	reqInit  chan *requestOp
	close    chan struct{}
	didClose chan struct{}
	write    func(method, subid string) error
}

type requestOp struct {
	method string
	subid  string
	sub    *ClientSubscription
	resp   chan error
}

// NewClient starts the dispatch loop of a connection. Messages of the server come in on read.
func NewClient(read chan *jsonrpcMessage, write func(method, subid string) error) *Client {
	c := &Client{
		readOp:   read,
		reqInit:  make(chan *requestOp),
		close:    make(chan struct{}),
		didClose: make(chan struct{}),
		write:    write,
	}
	go c.dispatch()
	return c
}

// Close closes the client, aborting any in-flight requests.
func (c *Client) Close() {
	select {
	case c.close <- struct{}{}:
		<-c.didClose
	case <-c.didClose:
	}
}

func (c *Client) call(method, subid string) error {
	return c.send(&requestOp{method: method, subid: subid, resp: make(chan error, 1)})
}

func (c *Client) send(op *requestOp) error {
	select {
	case c.reqInit <- op:
		return <-op.resp
	case <-c.didClose:
		return ErrClientQuit
	}
}

// Subscribe registers a subscription under the given namespace.
//
// The channel is not closed by the client. Callers may close it after Unsubscribe.
func (c *Client) Subscribe(namespace, subid string, channel chan<- Notification) (*ClientSubscription, error) {
	sub := newClientSubscription(c, namespace, channel)
	sub.subid = subid
	op := &requestOp{method: namespace + "_subscribe", subid: subid, sub: sub, resp: make(chan error, 1)}
	if err := c.send(op); err != nil {
		return nil, err
	}
	return sub, nil
}

// dispatch is the main loop of the client.
// It sends read messages to waiting calls to Call and BatchCall
// and subscription notifications to registered subscriptions.
func (c *Client) dispatch() {
	clientSubs := make(map[string]*ClientSubscription)
	defer close(c.didClose)

	for {
		select {
		case <-c.close:
			for id, sub := range clientSubs {
				delete(clientSubs, id)
				sub.quitWithError(false, ErrClientQuit)
			}
			return

		case msg := <-c.readOp:
			if sub := clientSubs[msg.Sub]; sub != nil {
				if !sub.deliver(msg.Result) {
					delete(clientSubs, msg.Sub)
				}
			}

		case op := <-c.reqInit:
			err := c.write(op.method, op.subid)
			if err == nil && op.sub != nil {
				go op.sub.start()
				clientSubs[op.subid] = op.sub
			}
			op.resp <- err
		}
	}
}
