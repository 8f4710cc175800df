// Package xdsclient shares one client per target.
package xdsclient

import (
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var errNoConfig = errors.New("xds: bootstrap configuration is not set")

// Config says how the management server is reached.
type Config struct {
	ServerURI string
	Timeout   time.Duration
}

// transport talks to the management server.
type transport interface {
	Close()
}

// clientImpl is the real implementation of the client.
type clientImpl struct {
	name     string
	config   *Config
	tr       transport
	refCount int32

	mu       sync.Mutex
	closed   bool
	watchers map[string][]func(string)
}

func newClientImpl(name string, c *Config, dial func(*Config) (transport, error)) (*clientImpl, error) {
	tr, err := dial(c)
	if err != nil {
		return nil, fmt.Errorf("xds: creating client %q: %w", name, err)
	}
	return &clientImpl{name: name, config: c, tr: tr, refCount: 1, watchers: make(map[string][]func(string))}, nil
}

func (c *clientImpl) incrRef() int32 { return atomic.AddInt32(&c.refCount, 1) }

func (c *clientImpl) decrRef() int32 { return atomic.AddInt32(&c.refCount, -1) }

// WatchResource calls cb with every version of the resource. cb has to bear a
// call that comes after Close.
func (c *clientImpl) WatchResource(name string, cb func(string)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return fmt.Errorf("xds: client %q is closed", c.name)
	}
	c.watchers[name] = append(c.watchers[name], cb)
	return nil
}

func (c *clientImpl) update(name, version string) {
	c.mu.Lock()
	cbs := append([]func(string){}, c.watchers[name]...)
	c.mu.Unlock()
	for _, cb := range cbs {
		cb(version)
	}
}

// Close ends the client; the transport may call back while it closes.
func (c *clientImpl) Close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	c.watchers = nil
	c.mu.Unlock()
	c.tr.Close()
}

// Pool represents a pool of xDS clients that share the same bootstrap
// configuration.
type Pool struct {
	dial func(*Config) (transport, error)

	mu             sync.Mutex
	clients        map[string]*clientImpl
	fallbackConfig *Config
}

func NewPool(dial func(*Config) (transport, error)) *Pool {
	return &Pool{dial: dial, clients: make(map[string]*clientImpl)}
}

// SetFallbackBootstrapConfig is used by new clients, if nothing else is there.
func (p *Pool) SetFallbackBootstrapConfig(c *Config) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fallbackConfig = c
}

// NewClient returns the client of the given name, it is created if there is
// none, and a function that gives it back.
func (p *Pool) NewClient(name string) (*clientImpl, func(), error) {
	return p.newRefCounted(name)
}

// newRefCounted creates a new reference counted xDS client implementation for
// name, if one does not exist already. If an xDS client for the given name
// exists, it gets a reference to it and returns it.
func (p *Pool) newRefCounted(name string) (*clientImpl, func(), error) {
	p.mu.Lock()
	defer p.mu.Unlock()

	if c := p.clients[name]; c != nil {
		c.incrRef()
		return c, sync.OnceFunc(func() { p.clientRefCountedClose(name) }), nil
	}
	config := p.fallbackConfig
	if config == nil {
		return nil, nil, errNoConfig
	}
	c, err := newClientImpl(name, config, p.dial)
	if err != nil {
		return nil, nil, err
	}
	p.clients[name] = c
	return c, sync.OnceFunc(func() { p.clientRefCountedClose(name) }), nil
}

func (p *Pool) clientRefCountedClose(name string) {
	p.mu.Lock()
	client, ok := p.clients[name]
	if !ok {
		log.Printf("Attempt to close a non-existent xDS client with name %s", name)
		p.mu.Unlock()
		return
	}
	if client.decrRef() != 0 {
		p.mu.Unlock()
		return
	}
	delete(p.clients, name)
	p.mu.Unlock()

	// This attempts to close the transport to the management server and could
	// theoretically call back into the xdsclient package again and deadlock.
	// Hence, this needs to be called without holding the lock.
	client.Close()
}

// DumpResources lists the clients and how often they are used.
func (p *Pool) DumpResources() map[string]int32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	resp := make(map[string]int32, len(p.clients))
	for name, c := range p.clients {
		resp[name] = atomic.LoadInt32(&c.refCount)
	}
	return resp
}
