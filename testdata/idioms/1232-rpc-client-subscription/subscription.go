package rpc

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrClientQuit is returned for operations on a closed client.
	ErrClientQuit = errors.New("client is closed")
	// ErrSubscriptionQueueOverflow is returned when the subscriber is too slow.
	ErrSubscriptionQueueOverflow = errors.New("subscription queue overflow")
)

const (
	maxClientSubscriptionBuffer = 20000
	unsubscribeTimeout          = 10 * time.Second
)

// Header is the type of the values of a subscription.
type Header struct {
	Number uint64
	Hash   string
}

// ClientSubscription is a subscription established through the Client's Subscribe or
// EthSubscribe methods.
type ClientSubscription struct {
	client    *Client
	channel   chan<- *Header
	namespace string
	subid     string

	// The in channel receives notification values from client dispatcher.
	in chan json.RawMessage

	// The error channel receives the error from the forwarding loop.
	// It is closed by Unsubscribe.
	err     chan error
	errOnce sync.Once

	// Closing of the subscription is requested by sending on 'quit'. This is handled by
	// the forwarding loop, which closes 'forwardDone' when it has stopped sending to
	// sub.channel. Finally, 'unsubDone' is closed after unsubscribing on the server side.
	quit        chan error
	forwardDone chan struct{}
	unsubDone   chan struct{}
}

// This is the sentinel value sent on sub.quit when Unsubscribe is called.
var errUnsubscribed = errors.New("unsubscribed")

func newClientSubscription(c *Client, namespace string, channel chan<- *Header) *ClientSubscription {
	return &ClientSubscription{
		client:      c,
		namespace:   namespace,
		channel:     channel,
		in:          make(chan json.RawMessage),
		quit:        make(chan error),
		forwardDone: make(chan struct{}),
		unsubDone:   make(chan struct{}),
		err:         make(chan error, 1),
	}
}

// Err returns the subscription error channel. The intended use of Err is to schedule
// resubscription when the client connection is closed unexpectedly.
//
// The error channel receives a value when the subscription has ended due to an error. The
// received error is nil if Close has been called on the underlying client and no other
// error has occurred.
//
// The error channel is closed when Unsubscribe is called on the subscription.
func (sub *ClientSubscription) Err() <-chan error {
	return sub.err
}

// Unsubscribe unsubscribes the notification and closes the error channel.
// It can safely be called more than once.
func (sub *ClientSubscription) Unsubscribe() {
	sub.errOnce.Do(func() {
		select {
		case sub.quit <- errUnsubscribed:
			<-sub.unsubDone
		case <-sub.unsubDone:
		}
		close(sub.err)
	})
}

// deliver is called by the client's message dispatcher to send a notification value.
func (sub *ClientSubscription) deliver(result json.RawMessage) (ok bool) {
	select {
	case sub.in <- result:
		return true
	case <-sub.forwardDone:
		return false
	}
}

// close is called by the client's message dispatcher when the connection is closed.
func (sub *ClientSubscription) close(err error) {
	select {
	case sub.quit <- err:
	case <-sub.forwardDone:
	}
}

// run is the forwarding loop of the subscription. It runs in its own goroutine and
// is launched by the client's handler after the subscription has been created.
func (sub *ClientSubscription) run() {
	defer close(sub.unsubDone)

	unsubscribe, err := sub.forward()

	// The client's dispatch loop won't be able to execute the unsubscribe call if it is
	// blocked in sub.deliver() or sub.close(). Closing forwardDone unblocks them.
	close(sub.forwardDone)

	// Call the unsubscribe method on the server.
	if unsubscribe {
		sub.requestUnsubscribe()
	}

	// Send the error.
	if err != nil {
		if err == ErrClientQuit {
			// ErrClientQuit gets here when Client.Close is called. This is reported as a
			// nil error because it's not an error, but we can't close sub.err here.
			err = nil
		}
		sub.err <- err
	}
}

// forward is the forwarding loop. It takes in RPC notifications and sends them
// on the subscription channel.
func (sub *ClientSubscription) forward() (unsubscribeServer bool, err error) {
	buffer := list.New()

	for {
		var (
			out  chan<- *Header
			next *Header
		)
		if buffer.Len() > 0 {
			// Non-empty buffer, send the first queued item.
			out = sub.channel
			next = buffer.Front().Value.(*Header)
		}

		select {
		case err := <-sub.quit:
			if err == errUnsubscribed {
				// Exiting because Unsubscribe was called, unsubscribe on server.
				return true, nil
			}
			return false, err

		case raw := <-sub.in:
			val := new(Header)
			if err := json.Unmarshal(raw, val); err != nil {
				return true, err
			}
			if buffer.Len() == maxClientSubscriptionBuffer {
				return true, ErrSubscriptionQueueOverflow
			}
			buffer.PushBack(val)

		case out <- next:
			buffer.Remove(buffer.Front())
		}
	}
}

func (sub *ClientSubscription) requestUnsubscribe() error {
	ctx, cancel := context.WithTimeout(context.Background(), unsubscribeTimeout)
	defer cancel()
	return sub.client.call(ctx, sub.namespace+"_unsubscribe", sub.subid)
}

// message is a response (with the number of the request) or a notification (with
// the id of the subscription), as it comes from the connection.
type message struct {
	ReqID  uint64
	SubID  string
	Result json.RawMessage
	Error  string
}

// requestOp represents a pending request.
type requestOp struct {
	reqID uint64
	err   error
	resp  chan *message       // receives the response
	sub   *ClientSubscription // only set for subscribe requests
}

func (op *requestOp) wait(ctx context.Context) (*message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case resp, ok := <-op.resp:
		if !ok {
			return nil, op.err
		}
		if resp.Error != "" {
			return nil, errors.New(resp.Error)
		}
		return resp, nil
	}
}

// Client represents a connection to an RPC server.
type Client struct {
	idCounter atomic.Uint64
	writeMu   sync.Mutex
	write     func(reqID uint64, method string, args ...string) error
	incoming  <-chan *message

	reqInit  chan *requestOp // register response IDs
	closeReq chan struct{}
	closing  sync.Once
	didClose chan struct{}
}

// NewClient creates a client on a connection.
func NewClient(write func(uint64, string, ...string) error, incoming <-chan *message) *Client {
	c := &Client{
		write:    write,
		incoming: incoming,
		reqInit:  make(chan *requestOp),
		closeReq: make(chan struct{}),
		didClose: make(chan struct{}),
	}
	go c.dispatch()
	return c
}

// Subscribe calls the "<namespace>_subscribe" method and registers the channel.
func (c *Client) Subscribe(ctx context.Context, namespace string, channel chan<- *Header) (*ClientSubscription, error) {
	op := &requestOp{
		reqID: c.idCounter.Add(1),
		resp:  make(chan *message, 1),
		sub:   newClientSubscription(c, namespace, channel),
	}
	if err := c.send(ctx, op, namespace+"_subscribe", "newHeads"); err != nil {
		return nil, err
	}
	if _, err := op.wait(ctx); err != nil {
		return nil, err
	}
	return op.sub, nil
}

func (c *Client) call(ctx context.Context, method string, args ...string) error {
	op := &requestOp{reqID: c.idCounter.Add(1), resp: make(chan *message, 1)}
	if err := c.send(ctx, op, method, args...); err != nil {
		return err
	}
	_, err := op.wait(ctx)
	return err
}

// send registers op with the dispatch loop, then sends msg on the connection.
func (c *Client) send(ctx context.Context, op *requestOp, method string, args ...string) error {
	select {
	case c.reqInit <- op:
		c.writeMu.Lock()
		defer c.writeMu.Unlock()
		return c.write(op.reqID, method, args...)
	case <-ctx.Done():
		return ctx.Err()
	case <-c.didClose:
		return ErrClientQuit
	}
}

// Close closes the client, aborting any in-flight requests.
func (c *Client) Close() {
	c.closing.Do(func() { close(c.closeReq) })
	<-c.didClose
}

// dispatch is the main loop of the client. It alone uses the two maps.
func (c *Client) dispatch() {
	respWait := make(map[uint64]*requestOp)
	subs := make(map[string]*ClientSubscription)
	defer close(c.didClose)
	defer func() {
		for id, op := range respWait {
			delete(respWait, id)
			op.err = ErrClientQuit
			close(op.resp)
		}
		for id, sub := range subs {
			delete(subs, id)
			sub.close(ErrClientQuit)
		}
	}()

	for {
		select {
		case <-c.closeReq:
			return
		case op := <-c.reqInit:
			respWait[op.reqID] = op
		case msg, ok := <-c.incoming:
			if !ok {
				return
			}
			if msg.ReqID == 0 {
				if sub := subs[msg.SubID]; sub != nil {
					sub.deliver(msg.Result)
				}
				continue
			}
			op := respWait[msg.ReqID]
			if op == nil {
				continue
			}
			delete(respWait, msg.ReqID)
			// For subscription responses, start the subscription if the server
			// indicates success.
			if op.sub != nil && msg.Error == "" {
				op.sub.subid = msg.SubID
				subs[op.sub.subid] = op.sub
				go op.sub.run()
			}
			op.resp <- msg
		}
	}
}
