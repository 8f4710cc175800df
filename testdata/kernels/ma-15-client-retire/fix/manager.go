// Package upstreams shares one client a tenant between all requests and closes
// the clients of tenants that went quiet.
package upstreams

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrUnknownTenant = errors.New("upstreams: unknown tenant")
	ErrBusy          = errors.New("upstreams: client is in use")
)

// Backend is the client library's handle.
type Backend interface {
	Call(ctx context.Context, method string, body []byte) ([]byte, error)
	Close() error
}

// Opener makes a backend for a tenant.
type Opener func(tenant string) (Backend, error)

// Client is a shared backend. Each Acquire is paired with a Release.
type Client struct {
	tenant   string
	backend  Backend
	refs     atomic.Int32
	lastUsed atomic.Int64
}

// Call calls the backend.
func (c *Client) Call(ctx context.Context, method string, body []byte) ([]byte, error) {
	return c.backend.Call(ctx, method, body)
}

// Release gives up the caller's use of the client.
func (c *Client) Release() {
	c.lastUsed.Store(time.Now().UnixNano())
	if n := c.refs.Add(-1); n < 0 {
		panic(fmt.Sprintf("upstreams: %s released too often", c.tenant))
	}
}

// Manager owns the clients.
type Manager struct {
	open Opener
	idle time.Duration

	mu      sync.RWMutex
	clients map[string]*Client
}

// NewManager returns a manager that closes clients that were idle for so long.
func NewManager(open Opener, idle time.Duration) *Manager {
	return &Manager{open: open, idle: idle, clients: make(map[string]*Client)}
}

func (m *Manager) lookup(tenant string) (*Client, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	c, ok := m.clients[tenant]
	if ok {
		c.refs.Add(1)
	}
	return c, ok
}

// Connect opens the client of a tenant; it is called when a tenant is placed on
// this node.
func (m *Manager) Connect(tenant string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.clients[tenant]; ok {
		return nil
	}
	b, err := m.open(tenant)
	if err != nil {
		return fmt.Errorf("upstreams: open %s: %w", tenant, err)
	}
	c := &Client{tenant: tenant, backend: b}
	c.lastUsed.Store(time.Now().UnixNano())
	m.clients[tenant] = c
	return nil
}

// Acquire returns the client of a tenant.
func (m *Manager) Acquire(tenant string) (*Client, error) {
	c, ok := m.lookup(tenant)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownTenant, tenant)
	}
	c.lastUsed.Store(time.Now().UnixNano())
	return c, nil
}

// Retire closes the client of a tenant if nobody uses it or used it since.
func (m *Manager) Retire(tenant string, since time.Time) error {
	m.mu.Lock()
	c, ok := m.clients[tenant]
	if !ok {
		m.mu.Unlock()
		return fmt.Errorf("%w: %s", ErrUnknownTenant, tenant)
	}
	if c.refs.Load() > 0 || c.lastUsed.Load() >= since.UnixNano() {
		m.mu.Unlock()
		return ErrBusy
	}
	delete(m.clients, tenant)
	m.mu.Unlock()
	return c.backend.Close()
}

func (m *Manager) quiet(since time.Time) []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var names []string
	for tenant, c := range m.clients {
		if c.lastUsed.Load() < since.UnixNano() {
			names = append(names, tenant)
		}
	}
	return names
}

// Run retires quiet clients until ctx ends.
func (m *Manager) Run(ctx context.Context) {
	t := time.NewTicker(m.idle / 2)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			since := now.Add(-m.idle)
			for _, tenant := range m.quiet(since) {
				if err := m.Retire(tenant, since); err != nil && !errors.Is(err, ErrBusy) {
					log.Printf("upstreams: retire %s: %v", tenant, err)
				}
			}
		}
	}
}
