package clientv3

import (
	"context"
	"net"
	"sync"
	"time"
)

const dialTimeout = 3 * time.Second

// addrConn is the connection to one address.
type addrConn struct {
	mu   sync.Mutex
	addr Address
	nc   net.Conn
	down func(error)
	stop context.CancelFunc
}

// clientConn keeps a connection to every address that the balancer names.
type clientConn struct {
	ctx    context.Context
	cancel context.CancelFunc
	b      Balancer

	mu    sync.Mutex
	conns map[Address]*addrConn
}

func dial(eps []string) (*clientConn, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cc := &clientConn{
		ctx:    ctx,
		cancel: cancel,
		b:      newSimpleBalancer(eps),
		conns:  make(map[Address]*addrConn),
	}
	if err := cc.b.Start(""); err != nil {
		cancel()
		return nil, err
	}
	go cc.lbWatcher()
	return cc, nil
}

// lbWatcher watches the Notify channel of the balancer in cc and manages
// connections accordingly.
func (cc *clientConn) lbWatcher() {
	for addrs := range cc.b.Notify() {
		cc.mu.Lock()
		if cc.conns == nil {
			cc.mu.Unlock()
			return
		}
		for _, a := range addrs {
			if _, ok := cc.conns[a]; ok {
				continue
			}
			ctx, stop := context.WithCancel(cc.ctx)
			ac := &addrConn{addr: a, stop: stop}
			cc.conns[a] = ac
			go cc.resetTransport(ctx, ac)
		}
		cc.mu.Unlock()
	}
}

// resetTransport connects ac and reports it to the balancer; it does so again
// whenever the connection breaks.
func (cc *clientConn) resetTransport(ctx context.Context, ac *addrConn) {
	for ctx.Err() == nil {
		nc, err := net.DialTimeout("tcp", ac.addr.Addr, dialTimeout)
		if err != nil {
			select {
			case <-time.After(time.Second):
				continue
			case <-ctx.Done():
				return
			}
		}
		down := cc.b.Up(ac.addr)
		ac.mu.Lock()
		ac.nc = nc
		ac.down = down
		ac.mu.Unlock()
		stopf := context.AfterFunc(ctx, func() { nc.Close() })
		_, rerr := nc.Read(make([]byte, 1))
		stopf()
		nc.Close()
		down(rerr)
	}
}

// Close tears down the clientConn and all underlying connections.
func (cc *clientConn) Close() error {
	cc.mu.Lock()
	if cc.conns == nil {
		cc.mu.Unlock()
		return errClientConnClosing
	}
	conns := cc.conns
	cc.conns = nil
	cc.mu.Unlock()
	err := cc.b.Close()
	for _, ac := range conns {
		ac.stop()
	}
	cc.cancel()
	return err
}
