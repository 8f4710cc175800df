// Package leasepool hands out tunnel addresses to VPN clients.
package leasepool

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// ErrExhausted is returned when every address of the prefix is leased.
var ErrExhausted = errors.New("leasepool: no free address")

// Lease is one address handed to one client.
type Lease struct {
	Addr    netip.Addr `json:"addr"`
	Client  string     `json:"client"`
	Expires time.Time  `json:"expires"`
}

// Pool leases the host addresses of a prefix.
type Pool struct {
	prefix netip.Prefix
	ttl    time.Duration

	mu       sync.Mutex
	leases   map[netip.Addr]Lease
	byClient map[string]netip.Addr
}

// New returns an empty pool over prefix.
func New(prefix netip.Prefix, ttl time.Duration) *Pool {
	return &Pool{
		prefix:   prefix.Masked(),
		ttl:      ttl,
		leases:   make(map[netip.Addr]Lease),
		byClient: make(map[string]netip.Addr),
	}
}

// Allocate returns the client's lease, extending the one it has or
// creating one on a free address.
func (p *Pool) Allocate(client string) (Lease, error) {
	if l, ok := p.renew(client); ok {
		return l, nil
	}
	addr, ok := p.nextFree()
	if !ok {
		return Lease{}, ErrExhausted
	}
	return p.bind(addr, client), nil
}

func (p *Pool) renew(client string) (Lease, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	addr, ok := p.byClient[client]
	if !ok {
		return Lease{}, false
	}
	l := p.leases[addr]
	l.Expires = time.Now().Add(p.ttl)
	p.leases[addr] = l
	return l, true
}

func (p *Pool) nextFree() (netip.Addr, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// The first host address is the server's own.
	for a := p.prefix.Addr().Next().Next(); p.prefix.Contains(a); a = a.Next() {
		if _, taken := p.leases[a]; !taken {
			return a, true
		}
	}
	return netip.Addr{}, false
}

func (p *Pool) bind(addr netip.Addr, client string) Lease {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := Lease{Addr: addr, Client: client, Expires: time.Now().Add(p.ttl)}
	p.leases[addr] = l
	p.byClient[client] = addr
	return l
}

// Release gives the client's address back.
func (p *Pool) Release(client string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if addr, ok := p.byClient[client]; ok {
		delete(p.byClient, client)
		delete(p.leases, addr)
	}
}

// Reap drops leases that ran out before now and reports how many.
func (p *Pool) Reap(now time.Time) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for addr, l := range p.leases {
		if l.Expires.Before(now) {
			delete(p.leases, addr)
			delete(p.byClient, l.Client)
			n++
		}
	}
	return n
}

// ServeHTTP answers POST (allocate) and DELETE (release) for ?client=.
func (p *Pool) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	client := r.URL.Query().Get("client")
	if client == "" {
		http.Error(w, "client missing", http.StatusBadRequest)
		return
	}
	switch r.Method {
	case http.MethodPost:
		l, err := p.Allocate(client)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(l)
	case http.MethodDelete:
		p.Release(client)
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}
