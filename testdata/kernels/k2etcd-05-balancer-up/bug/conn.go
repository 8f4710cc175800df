// Package clientv3 connects to a cluster.
package clientv3

import (
	"context"
	"net"
	"sync"
	"time"
)

// ClientConn keeps one connection for each address of the balancer.
type ClientConn struct {
	balancer *simpleBalancer
	dial     func(ctx context.Context, addr string) (net.Conn, error)

	ctx    context.Context
	cancel context.CancelFunc

	mu    sync.Mutex
	conns map[string]net.Conn
}

// Dial connects in the background.
func Dial(eps []string, dial func(ctx context.Context, addr string) (net.Conn, error)) *ClientConn {
	ctx, cancel := context.WithCancel(context.Background())
	cc := &ClientConn{
		balancer: newSimpleBalancer(eps),
		dial:     dial,
		ctx:      ctx,
		cancel:   cancel,
		conns:    make(map[string]net.Conn),
	}
	go cc.lbWatcher()
	return cc
}

func (cc *ClientConn) lbWatcher() {
	for addrs := range cc.balancer.Notify() {
		for _, a := range addrs {
			go cc.transportMonitor(a)
		}
	}
}

func (cc *ClientConn) transportMonitor(a Address) {
	for cc.ctx.Err() == nil {
		conn, err := cc.dial(cc.ctx, a.Addr)
		if err != nil {
			select {
			case <-time.After(time.Second):
			case <-cc.ctx.Done():
			}
			continue
		}
		cc.mu.Lock()
		if cc.ctx.Err() != nil {
			cc.mu.Unlock()
			conn.Close()
			return
		}
		cc.conns[a.Addr] = conn
		cc.mu.Unlock()
		down := cc.balancer.Up(a)
		// the server does not send before it is asked
		var b [1]byte
		_, err = conn.Read(b[:])
		down(err)
		cc.mu.Lock()
		delete(cc.conns, a.Addr)
		cc.mu.Unlock()
		conn.Close()
	}
}

// Ready waits for the first connection.
func (cc *ClientConn) Ready(ctx context.Context) error {
	select {
	case <-cc.balancer.readyc:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Pick returns the address to use.
func (cc *ClientConn) Pick(ctx context.Context) (string, error) {
	a, err := cc.balancer.Get(ctx)
	return a.Addr, err
}

// Close must be called once.
func (cc *ClientConn) Close() error {
	cc.cancel()
	err := cc.balancer.Close()
	cc.mu.Lock()
	defer cc.mu.Unlock()
	for _, c := range cc.conns {
		c.SetDeadline(time.Now())
	}
	return err
}
