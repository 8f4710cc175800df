package edge

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

// ErrNoAddrs means that an upstream has nowhere to go.
var ErrNoAddrs = errors.New("edge: upstream has no addresses")

type target struct {
	addr       string
	serverName string
}

// Upstream is a cluster that requests are forwarded to.
type Upstream struct {
	name string

	mu         sync.Mutex
	addrs      []string
	serverName string
	next       int
}

// NewUpstream returns an upstream without addresses.
func NewUpstream(name string) *Upstream {
	return &Upstream{name: name}
}

// Update replaces the addresses and the name that the cluster's certificate
// must have.
func (u *Upstream) Update(addrs []string, serverName string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.addrs = append([]string(nil), addrs...)
	u.next = 0
	u.serverName = serverName
}

func (u *Upstream) pick() (target, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.addrs) == 0 {
		return target{}, ErrNoAddrs
	}
	t := target{addr: u.addrs[u.next%len(u.addrs)], serverName: u.serverName}
	u.next++
	return t, nil
}

// Dial opens a TLS connection to one of the addresses.
func (u *Upstream) Dial(ctx context.Context) (net.Conn, error) {
	t, err := u.pick()
	if err != nil {
		return nil, err
	}
	d := tls.Dialer{
		NetDialer: &net.Dialer{Timeout: 2 * time.Second},
		Config:    &tls.Config{ServerName: t.serverName, MinVersion: tls.VersionTLS12},
	}
	return d.DialContext(ctx, "tcp", t.addr)
}
