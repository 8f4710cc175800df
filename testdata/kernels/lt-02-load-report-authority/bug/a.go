package xdsclient

import (
	"errors"
	"sync"
	"sync/atomic"
)

type controller struct {
	server string
	stopc  chan struct{}
	once   sync.Once
}

func newController(server string) (*controller, error) {
	if server == "" {
		return nil, errors.New("xds: no server uri")
	}
	c := &controller{server: server, stopc: make(chan struct{})}
	go c.run()
	return c, nil
}

func (c *controller) run() { <-c.stopc }

func (c *controller) close() { c.once.Do(func() { close(c.stopc) }) }

type authority struct {
	server   string
	ctrl     *controller
	refCount atomic.Int32
}

func (a *authority) ref()         { a.refCount.Add(1) }
func (a *authority) unref() int32 { return a.refCount.Add(-1) }

// authorityCache holds the live authorities by server.
type authorityCache struct {
	mu sync.RWMutex
	m  map[string]*authority
}

func (c *authorityCache) get(server string) (*authority, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	a, ok := c.m[server]
	return a, ok
}

func (c *authorityCache) put(server string, a *authority) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[server] = a
}

func (c *authorityCache) remove(server string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, server)
}

type clientImpl struct {
	defaultServer string
	servers       map[string]string

	authorityMu sync.Mutex
	authorities *authorityCache
}

func newClient(defaultServer string, servers map[string]string) *clientImpl {
	return &clientImpl{
		defaultServer: defaultServer,
		servers:       servers,
		authorities:   &authorityCache{m: make(map[string]*authority)},
	}
}

func (c *clientImpl) findAuthority(name string) (*authority, func(), error) {
	c.authorityMu.Lock()
	defer c.authorityMu.Unlock()
	server := c.defaultServer
	if name != "" {
		s, ok := c.servers[name]
		if !ok {
			return nil, nil, errors.New("xds: failed to find authority " + name)
		}
		server = s
	}
	a, err := c.newAuthority(server)
	if err != nil {
		return nil, nil, err
	}
	a.ref()
	return a, func() { c.unrefAuthority(a) }, nil
}

// newAuthority returns the authority for server, creating it if needed.
func (c *clientImpl) newAuthority(server string) (*authority, error) {
	if a, ok := c.authorities.get(server); ok {
		return a, nil
	}
	ctrl, err := newController(server)
	if err != nil {
		return nil, err
	}
	ret := &authority{server: server, ctrl: ctrl}
	c.authorities.put(server, ret)
	return ret, nil
}

func (c *clientImpl) unrefAuthority(a *authority) {
	c.authorityMu.Lock()
	defer c.authorityMu.Unlock()
	if a.unref() > 0 {
		return
	}
	c.authorities.remove(a.server)
	a.ctrl.close()
}

// WatchListener starts a watch and returns its cancel function.
func (c *clientImpl) WatchListener(authorityName string) (func(), error) {
	_, unref, err := c.findAuthority(authorityName)
	if err != nil {
		return nil, err
	}
	return unref, nil
}

// ReportLoad starts load reporting to server and returns its cancel function.
func (c *clientImpl) ReportLoad(server string) func() {
	a, err := c.newAuthority(server)
	if err != nil {
		return func() {}
	}
	a.ref()
	return func() { c.unrefAuthority(a) }
}
