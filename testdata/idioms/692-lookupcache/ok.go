// Package discover finds the addresses of devices.
package discover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// DeviceID names a device.
type DeviceID string

// Finder looks up the addresses of a device.
type Finder interface {
	Lookup(ctx context.Context, id DeviceID) ([]string, error)
	String() string
}

// cachedError is an error that tells how long it is good for.
type cachedError interface {
	error
	CacheFor() time.Duration
}

// CacheEntry is one result of a finder.
type CacheEntry struct {
	Addresses  []string  `json:"addresses"`
	when       time.Time // When did we get the result
	found      bool      // Is it a success (cacheTime applies) or a failure (negCacheTime applies)?
	validUntil time.Time // Validity time, overrides normal calculation
}

// cache holds the last result of every device.
type cache struct {
	mut     sync.Mutex
	entries map[DeviceID]CacheEntry
}

func newCache() *cache { return &cache{entries: make(map[DeviceID]CacheEntry)} }

func (c *cache) Set(id DeviceID, ce CacheEntry) {
	c.mut.Lock()
	c.entries[id] = ce
	c.mut.Unlock()
}

func (c *cache) Get(id DeviceID) (CacheEntry, bool) {
	c.mut.Lock()
	ce, ok := c.entries[id]
	c.mut.Unlock()
	return ce, ok
}

func (c *cache) Cache() map[DeviceID]CacheEntry {
	c.mut.Lock()
	m := make(map[DeviceID]CacheEntry, len(c.entries))
	for k, v := range c.entries {
		m[k] = v
	}
	c.mut.Unlock()
	return m
}

// A cachedFinder is a Finder with associated cache timeouts.
type cachedFinder struct {
	Finder
	cacheTime    time.Duration
	negCacheTime time.Duration
	cache        *cache
}

// Manager asks a number of finders and remembers what they said.
type Manager struct {
	mut     sync.RWMutex
	finders map[string]cachedFinder
}

func NewManager() *Manager { return &Manager{finders: make(map[string]cachedFinder)} }

func (m *Manager) Add(identity string, finder Finder, cacheTime, negCacheTime time.Duration) {
	m.mut.Lock()
	defer m.mut.Unlock()
	m.finders[identity] = cachedFinder{
		Finder:       finder,
		cacheTime:    cacheTime,
		negCacheTime: negCacheTime,
		cache:        newCache(),
	}
}

func (m *Manager) Remove(identity string) {
	m.mut.Lock()
	defer m.mut.Unlock()
	delete(m.finders, identity)
}

// Lookup attempts to resolve the device ID using any of the added Finders,
// while obeying the cache settings.
func (m *Manager) Lookup(ctx context.Context, id DeviceID) (addresses []string, err error) {
	m.mut.RLock()
	defer m.mut.RUnlock()
	for _, finder := range m.finders {
		if cacheEntry, ok := finder.cache.Get(id); ok {
			// We have a cache entry. Lets see what it says.
			if cacheEntry.found && time.Since(cacheEntry.when) < finder.cacheTime {
				// It's a positive, valid entry. Use it.
				addresses = append(addresses, cacheEntry.Addresses...)
				continue
			}
			valid := time.Now().Before(cacheEntry.validUntil) || time.Since(cacheEntry.when) < finder.negCacheTime
			if !cacheEntry.found && valid {
				// It's a negative, valid entry. We should not make another
				// attempt right now.
				continue
			}
			// It's expired. Ignore and continue.
		}

		// Perform the actual lookup and cache the result.
		addrs, err := finder.Lookup(ctx, id)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			// Lookup returned error, add a negative cache entry.
			entry := CacheEntry{when: time.Now()}
			var ce cachedError
			if errors.As(err, &ce) {
				entry.validUntil = time.Now().Add(ce.CacheFor())
			}
			finder.cache.Set(id, entry)
			continue
		}
		addresses = append(addresses, addrs...)
		finder.cache.Set(id, CacheEntry{Addresses: addrs, when: time.Now(), found: len(addrs) > 0})
	}
	slices.Sort(addresses)
	return slices.Compact(addresses), nil
}

// Cache is for the status page.
func (m *Manager) Cache() map[DeviceID]CacheEntry {
	m.mut.RLock()
	defer m.mut.RUnlock()
	res := make(map[DeviceID]CacheEntry)
	for _, finder := range m.finders {
		for id, ce := range finder.cache.Cache() {
			ce.Addresses = append(slices.Clone(res[id].Addresses), ce.Addresses...)
			res[id] = ce
		}
	}
	return res
}

// WarmUp looks up the given devices side by side.
func (m *Manager) WarmUp(ctx context.Context, ids []DeviceID) error {
	errc := make(chan error, len(ids))
	for _, id := range ids {
		go func() {
			_, err := m.Lookup(ctx, id)
			if err != nil {
				err = fmt.Errorf("looking up %s: %w", id, err)
			}
			errc <- err
		}()
	}
	var errs []error
	for range ids {
		errs = append(errs, <-errc)
	}
	return errors.Join(errs...)
}
