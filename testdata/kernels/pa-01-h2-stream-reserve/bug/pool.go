package h2pool

import (
	"context"
	"fmt"
	"sync"
)

// Dialer opens a connection and starts its read loop; attach gives the loop
// the connection that gets the frames.
type Dialer interface {
	Dial(ctx context.Context, addr string, attach func(fr Framer, maxStreams int) *ClientConn) (*ClientConn, error)
}

// Pool shares connections to one upstream between callers.
type Pool struct {
	addr   string
	dialer Dialer

	mu    sync.Mutex
	conns []*ClientConn
}

// NewPool returns a pool for addr.
func NewPool(addr string, d Dialer) *Pool {
	return &Pool{addr: addr, dialer: d}
}

// RoundTrip sends req on some connection and waits for the response.
func (p *Pool) RoundTrip(ctx context.Context, req *Request) (Response, error) {
	cc, err := p.pick(ctx)
	if err != nil {
		return Response{}, err
	}
	st, err := cc.start(req)
	if err != nil {
		p.drop(cc)
		return Response{}, fmt.Errorf("h2pool: %s: %w", p.addr, err)
	}
	select {
	case resp := <-st.done:
		return resp, nil
	case <-ctx.Done():
		if cc.forget(st.id) != nil {
			_ = cc.fr.WriteReset(st.id)
		}
		return Response{}, ctx.Err()
	}
}

// pick returns a connection with room, dialing one if there is none.
func (p *Pool) pick(ctx context.Context) (*ClientConn, error) {
	p.mu.Lock()
	for _, cc := range p.conns {
		if cc.canTakeNewRequest() {
			p.mu.Unlock()
			return cc, nil
		}
	}
	p.mu.Unlock()

	cc, err := p.dialer.Dial(ctx, p.addr, newClientConn)
	if err != nil {
		return nil, fmt.Errorf("h2pool: dial %s: %w", p.addr, err)
	}
	p.mu.Lock()
	p.conns = append(p.conns, cc)
	p.mu.Unlock()
	return cc, nil
}

func (p *Pool) drop(cc *ClientConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, c := range p.conns {
		if c == cc {
			p.conns = append(p.conns[:i], p.conns[i+1:]...)
			return
		}
	}
}
