package a

import (
	"encoding/json"
	"slices"
	"sync"
)

type ServiceConfig struct{ LB string }

type balancerWrapper struct {
	name string
	ch   chan []string
}

func newBalancerWrapper(name string, update func(string, []string)) *balancerWrapper {
	b := &balancerWrapper{name: name, ch: make(chan []string, 1)}
	go func() {
		for addrs := range b.ch {
			update(b.name, addrs)
		}
	}()
	return b
}

func (b *balancerWrapper) handleResolvedAddrs(addrs []string) {
	select {
	case <-b.ch:
	default:
	}
	b.ch <- addrs
}

type ClientConn struct {
	update func(policy string, addrs []string)

	mu              sync.Mutex
	conns           map[string]struct{}
	sc              ServiceConfig
	curAddresses    []string
	balancerWrapper *balancerWrapper
	resolverWrapper *resolverWrapper
}

func Dial(update func(string, []string)) (*ClientConn, *resolverWrapper) {
	cc := &ClientConn{update: update, conns: map[string]struct{}{}}
	rw := &resolverWrapper{cc, make(chan []string, 1), make(chan string, 1), make(chan struct{})}
	cc.resolverWrapper = rw
	go rw.watcher()
	return cc, rw
}

// switchBalancer is called with cc.mu held.
func (cc *ClientConn) switchBalancer(name string) {
	if cc.conns == nil {
		return
	}
	if cc.balancerWrapper != nil {
		if cc.balancerWrapper.name == name {
			return
		}
		close(cc.balancerWrapper.ch)
	}
	cc.balancerWrapper = newBalancerWrapper(name, cc.update)
}

func (cc *ClientConn) handleResolvedAddrs(addrs []string) {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.conns == nil || slices.Equal(cc.curAddresses, addrs) {
		return
	}
	cc.curAddresses = addrs
	if cc.balancerWrapper == nil {
		cc.switchBalancer("pick_first")
	}
	cc.balancerWrapper.handleResolvedAddrs(addrs)
}

func (cc *ClientConn) handleServiceConfig(js string) error {
	var sc ServiceConfig
	if err := json.Unmarshal([]byte(js), &sc); err != nil {
		return err
	}
	cc.mu.Lock()
	if cc.conns == nil {
		cc.mu.Unlock()
		return nil
	}
	cc.sc = sc
	if sc.LB != "" {
		cc.switchBalancer(sc.LB)
		cc.balancerWrapper.handleResolvedAddrs(cc.curAddresses)
	}
	cc.mu.Unlock()
	return nil
}

func (cc *ClientConn) Close() {
	cc.mu.Lock()
	if cc.conns == nil {
		cc.mu.Unlock()
		return
	}
	cc.conns = nil
	rw, bw := cc.resolverWrapper, cc.balancerWrapper
	cc.resolverWrapper, cc.balancerWrapper = nil, nil
	cc.mu.Unlock()

	close(rw.done)
	if bw != nil {
		close(bw.ch)
	}
}

// resolverWrapper receives the updates of one resolver.
type resolverWrapper struct {
	cc     *ClientConn
	addrCh chan []string
	scCh   chan string
	done   chan struct{}
}

func (r *resolverWrapper) watcher() {
	for {
		select {
		case addrs := <-r.addrCh:
			r.cc.handleResolvedAddrs(addrs)
		case sc := <-r.scCh:
			select {
			case <-r.done:
				return
			default:
			}
			r.cc.handleServiceConfig(sc)
		case <-r.done:
			return
		}
	}
}

func (r *resolverWrapper) NewServiceConfig(sc string) {
	select {
	case r.scCh <- sc:
	case <-r.done:
	}
}

func (r *resolverWrapper) NewAddress(addrs []string) {
	select {
	case r.addrCh <- addrs:
	case <-r.done:
	}
}
