// Package clientv3 picks a healthy endpoint for a client.
package clientv3

import (
	"log"
	"net/url"
	"sync"
	"time"
)

// Address is an address to connect to.
type Address struct {
	Addr string
}

type healthBalancer struct {
	// mu protects all fields below
	mu sync.RWMutex

	// addrs stores all available addresses
	addrs []Address
	eps   []string

	// hostPort2ep maps host:port to endpoint
	hostPort2ep map[string]string

	// unhealthy tracks the last unhealthy time of endpoints.
	unhealthy map[string]time.Time

	pinned             string
	healthCheckTimeout time.Duration

	notifyCh chan struct{}
	stopc    chan struct{}
	stopOnce sync.Once
	wg       sync.WaitGroup
}

func newHealthBalancer(eps []string, timeout time.Duration) *healthBalancer {
	hb := &healthBalancer{
		healthCheckTimeout: timeout,
		notifyCh:           make(chan struct{}, 1),
		stopc:              make(chan struct{}),
	}
	hb.updateAddrs(eps...)
	hb.wg.Add(1)
	go func() {
		defer hb.wg.Done()
		hb.updateUnhealthy(timeout)
	}()
	return hb
}

// Up is called when a connection to addr has been made. The function
// returned is called with the error that ends the connection.
func (hb *healthBalancer) Up(addr Address) func(error) {
	if !hb.pin(addr) {
		return func(error) {}
	}
	log.Printf("clientv3/health-balancer: pin %q", addr.Addr)
	return func(err error) {
		// If connected to a black hole endpoint or a killed server, the gRPC ping
		// timeout will induce a network I/O error, and retrying until success;
		// finding healthy endpoint on retry could take several timeouts and redials.
		// To avoid wasting retries, gray-list unhealthy endpoints.
		hb.hostPortError(addr.Addr, err)
		hb.unpin(addr)
	}
}

func (hb *healthBalancer) pin(addr Address) bool {
	hb.mu.Lock()
	defer hb.mu.Unlock()
	if hb.pinned != "" || !hb.mayPin(addr) {
		return false
	}
	hb.pinned = addr.Addr
	return true
}

func (hb *healthBalancer) unpin(addr Address) {
	hb.mu.Lock()
	if hb.pinned == addr.Addr {
		hb.pinned = ""
	}
	hb.mu.Unlock()
	hb.notifyAddrs()
}

func (hb *healthBalancer) notifyAddrs() {
	select {
	case hb.notifyCh <- struct{}{}:
	default:
	}
}

func (hb *healthBalancer) updateUnhealthy(timeout time.Duration) {
	for {
		select {
		case <-time.After(timeout):
			hb.mu.Lock()
			for k, v := range hb.unhealthy {
				if time.Since(v) > timeout {
					delete(hb.unhealthy, k)
				}
			}
			hb.mu.Unlock()
			hb.notifyAddrs()
		case <-hb.stopc:
			return
		}
	}
}

// liveAddrs returns the addresses to connect to. It is called after each
// signal on notifyCh.
func (hb *healthBalancer) liveAddrs() []Address {
	hb.mu.RLock()
	defer hb.mu.RUnlock()
	if len(hb.addrs) == 1 || len(hb.unhealthy) == 0 || len(hb.addrs) == len(hb.unhealthy) {
		return append([]Address(nil), hb.addrs...)
	}
	addrs := make([]Address, 0, len(hb.addrs))
	for _, addr := range hb.addrs {
		if _, bad := hb.unhealthy[addr.Addr]; !bad {
			addrs = append(addrs, addr)
		}
	}
	return addrs
}

func (hb *healthBalancer) hostPortError(hostPort string, err error) {
	hb.mu.Lock()
	hb.unhealthy[hostPort] = time.Now()
	hb.mu.Unlock()
	log.Printf("clientv3/health-balancer: marking %q as unhealthy (%v)", hostPort, err)
}

// mayPin is called with the lock held.
func (hb *healthBalancer) mayPin(addr Address) bool {
	if _, ok := hb.hostPort2ep[addr.Addr]; !ok { // stale host:port
		return false
	}
	skip := len(hb.addrs) == 1 || len(hb.unhealthy) == 0 || len(hb.addrs) == len(hb.unhealthy)
	failedTime, bad := hb.unhealthy[addr.Addr]
	return skip || !bad || time.Since(failedTime) > hb.healthCheckTimeout
}

// updateAddrs replaces the endpoints.
func (hb *healthBalancer) updateAddrs(eps ...string) {
	np := make(map[string]string, len(eps))
	addrs := make([]Address, 0, len(eps))
	for _, ep := range eps {
		hostPort := ep
		if u, err := url.Parse(ep); err == nil && u.Host != "" {
			hostPort = u.Host
		}
		np[hostPort] = ep
		addrs = append(addrs, Address{hostPort})
	}
	hb.mu.Lock()
	hb.addrs, hb.eps, hb.hostPort2ep = addrs, eps, np
	hb.unhealthy = make(map[string]time.Time)
	hb.mu.Unlock()
	hb.notifyAddrs()
}

// Close ends the balancer.
func (hb *healthBalancer) Close() {
	hb.stopOnce.Do(func() { close(hb.stopc) })
	hb.wg.Wait()
}
