package restmapper

import (
	"fmt"
	"sync"
)

// Discovery asks the API server which kinds there are.
type Discovery func() (map[string]string, error)

// cachedDiscovery keeps the last answer until it is invalidated.
type cachedDiscovery struct {
	mu    sync.Mutex
	fetch Discovery
	kinds map[string]string
	fresh bool // the answer was fetched since the last invalidation
}

func (c *cachedDiscovery) Resources() (map[string]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kinds == nil {
		kinds, err := c.fetch()
		if err != nil {
			return nil, err
		}
		c.kinds = kinds
	}
	return c.kinds, nil
}

func (c *cachedDiscovery) Fresh() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fresh
}

func (c *cachedDiscovery) Invalidate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh = true
	c.kinds = nil
}

// restMapper is not changed once it is made.
type restMapper struct {
	kinds map[string]string
}

func (m *restMapper) KindFor(resource string) (string, error) {
	if kind, ok := m.kinds[resource]; ok {
		return kind, nil
	}
	return "", fmt.Errorf("no matches for %s", resource)
}

// DeferredDiscoveryRESTMapper is a RESTMapper that will defer initialization
// of the RESTMapper until the first mapping is requested.
type DeferredDiscoveryRESTMapper struct {
	initMu   sync.Mutex
	delegate *restMapper
	cl       *cachedDiscovery
}

// NewDeferredDiscoveryRESTMapper returns a mapper whose first answers come
// from saved, which may be out of date.
func NewDeferredDiscoveryRESTMapper(saved map[string]string, fetch Discovery) *DeferredDiscoveryRESTMapper {
	return &DeferredDiscoveryRESTMapper{cl: &cachedDiscovery{fetch: fetch, kinds: saved}}
}

func (d *DeferredDiscoveryRESTMapper) getDelegate() (*restMapper, error) {
	d.initMu.Lock()
	defer d.initMu.Unlock()

	if d.delegate != nil {
		return d.delegate, nil
	}

	kinds, err := d.cl.Resources()
	if err != nil {
		return nil, err
	}

	d.delegate = &restMapper{kinds: kinds}
	return d.delegate, nil
}

// Reset resets the internally cached Discovery information and will
// cause the next mapping request to re-discover.
func (d *DeferredDiscoveryRESTMapper) Reset() {
	d.initMu.Lock()
	defer d.initMu.Unlock()

	d.cl.Invalidate()
	d.delegate = nil
}

// KindFor takes a partial resource and returns back the single match. The
// workers of the controllers call it.
func (d *DeferredDiscoveryRESTMapper) KindFor(resource string) (string, error) {
	for {
		// Whether the delegate is up to date is asked before it is taken: it
		// may be reset in between, then it is newer than we think and is
		// discovered once more for nothing.
		fresh := d.cl.Fresh()
		del, err := d.getDelegate()
		if err != nil {
			return "", err
		}
		kind, err := del.KindFor(resource)
		if err == nil || fresh {
			return kind, err
		}
		d.Reset()
	}
}
