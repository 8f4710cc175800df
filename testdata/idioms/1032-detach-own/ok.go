// Package broker delivers messages to connected clients.
package broker

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrNotConnected = errors.New("broker: client is not connected")
	ErrSlow         = errors.New("broker: client does not keep up")
	ErrTakenOver    = errors.New("broker: client connected again elsewhere")
)

// Transport carries messages to one client.
type Transport interface {
	Write(ctx context.Context, msg []byte) error
}

type session struct {
	client string
	out    chan []byte
	kicked chan struct{}
}

// Broker has at most one session per client.
type Broker struct {
	sessions sync.Map // client -> *session
}

// Serve runs the session of a client until its transport fails, the context
// ends or the client connects again.
func (b *Broker) Serve(ctx context.Context, client string, t Transport) error {
	s := &session{
		client: client,
		out:    make(chan []byte, 64),
		kicked: make(chan struct{}),
	}
	b.attach(s)
	defer b.detach(s)

	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.kicked:
			return ErrTakenOver
		case msg := <-s.out:
			if err := t.Write(ctx, msg); err != nil {
				return err
			}
		}
	}
}

func (b *Broker) attach(s *session) {
	old, loaded := b.sessions.Swap(s.client, s)
	if loaded {
		close(old.(*session).kicked)
	}
}

func (b *Broker) detach(s *session) {
	b.sessions.CompareAndDelete(s.client, s)
}

// Publish queues a message for the session the client has right now. Delivery
// is best effort: what a session has not written when it ends, or is given
// while it ends, is lost. Clients ask for what they missed when they connect.
func (b *Broker) Publish(client string, msg []byte) error {
	v, ok := b.sessions.Load(client)
	if !ok {
		return ErrNotConnected
	}
	select {
	case v.(*session).out <- msg:
		return nil
	default:
		return ErrSlow
	}
}

// Connected lists the clients, in no order.
func (b *Broker) Connected() []string {
	var out []string
	b.sessions.Range(func(k, _ any) bool {
		out = append(out, k.(string))
		return true
	})
	return out
}
