package fix

import (
	"context"
	"net"
	"sync"
	"time"
)

// DialFunc connects to a peer and adds the connection to the swarm, which
// owns it from then on.
type DialFunc func(ctx context.Context, peer string) (net.Conn, error)

type attempt struct {
	peer    string
	waiting int
	cancel  context.CancelFunc

	done chan struct{}
	conn net.Conn
	err  error
}

// Dialer makes all who want the same peer at the same time share one dial.
// The dial goes on as long as one of them still waits.
type Dialer struct {
	dial    DialFunc
	timeout time.Duration

	mu       sync.Mutex
	attempts map[string]*attempt
}

func NewDialer(dial DialFunc, timeout time.Duration) *Dialer {
	return &Dialer{dial: dial, timeout: timeout, attempts: make(map[string]*attempt)}
}

// Dial returns a connection to the peer.
func (d *Dialer) Dial(ctx context.Context, peer string) (net.Conn, error) {
	a := d.join(peer)
	defer d.leave(a)
	select {
	case <-a.done:
		return a.conn, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (d *Dialer) join(peer string) *attempt {
	d.mu.Lock()
	defer d.mu.Unlock()
	a, ok := d.attempts[peer]
	if !ok {
		ctx, cancel := context.WithTimeout(context.Background(), d.timeout)
		a = &attempt{peer: peer, cancel: cancel, done: make(chan struct{})}
		d.attempts[peer] = a
		go func() {
			defer close(a.done)
			a.conn, a.err = d.dial(ctx, peer)
		}()
	}
	a.waiting++
	return a
}

func (d *Dialer) leave(a *attempt) {
	d.mu.Lock()
	a.waiting--
	last := a.waiting == 0
	if last {
		delete(d.attempts, a.peer)
	}
	d.mu.Unlock()
	if last {
		a.cancel()
	}
}

// Pending tells how many peers are being dialed.
func (d *Dialer) Pending() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.attempts)
}
