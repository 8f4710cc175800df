// Package tenantcache keeps tenant settings in memory in front of the
// settings database.
package tenantcache

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
)

// ErrUnknownTenant is returned by a Store for a tenant that was never created.
var ErrUnknownTenant = errors.New("tenantcache: unknown tenant")

// Settings are the per-tenant switches the request path consults. A Settings
// value is never modified once it has been handed out.
type Settings struct {
	Plan      string   `json:"plan"`
	MaxSeats  int      `json:"max_seats"`
	Suspended bool     `json:"suspended"`
	Features  []string `json:"features"`
}

// Store is the system of record.
type Store interface {
	Load(ctx context.Context, tenant string) (Settings, error)
	Save(ctx context.Context, tenant string, s Settings) error
}

// Stats counts how the cache is doing.
type Stats struct {
	Hits    uint64 `json:"hits"`
	Misses  uint64 `json:"misses"`
	Entries int    `json:"entries"`
}

// Cache is a read-through cache of tenant settings. Entries stay until they
// are invalidated: this process owns all writes to the store. It is safe for
// concurrent use.
type Cache struct {
	store Store

	mu      sync.Mutex
	entries map[string]Settings
	gen     uint64 // counts invalidations
	hits    uint64
	misses  uint64
}

// New returns an empty cache in front of store.
func New(store Store) *Cache {
	return &Cache{store: store, entries: make(map[string]Settings)}
}

// lookup returns the cached settings of tenant, and the generation at which it
// looked.
func (c *Cache) lookup(tenant string) (Settings, uint64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.entries[tenant]
	if ok {
		c.hits++
	} else {
		c.misses++
	}
	return s, c.gen, ok
}

// fill keeps settings that were loaded from the store, unless something was
// invalidated since generation gen.
func (c *Cache) fill(tenant string, s Settings, gen uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gen != gen {
		return
	}
	c.entries[tenant] = s
}

// Get returns the settings of tenant, from memory when it can. The store is
// asked without the lock held: a slow tenant does not hold up the others.
func (c *Cache) Get(ctx context.Context, tenant string) (Settings, error) {
	s, gen, ok := c.lookup(tenant)
	if ok {
		return s, nil
	}
	s, err := c.store.Load(ctx, tenant)
	if err != nil {
		return Settings{}, err
	}
	c.fill(tenant, s, gen)
	return s, nil
}

// Update saves new settings of tenant. The entry is dropped whether or not the
// store reports success: after a timeout the row may have been written.
func (c *Cache) Update(ctx context.Context, tenant string, s Settings) error {
	err := c.store.Save(ctx, tenant, s)
	c.Invalidate(tenant)
	return err
}

// Invalidate drops the entry of tenant.
func (c *Cache) Invalidate(tenant string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gen++
	delete(c.entries, tenant)
}

// Stats returns the counters.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{Hits: c.hits, Misses: c.misses, Entries: len(c.entries)}
}

// Handler serves GET and PUT /tenants/{tenant}.
type Handler struct {
	Cache *Cache
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tenant := r.PathValue("tenant")
	switch r.Method {
	case http.MethodGet:
		s, err := h.Cache.Get(r.Context(), tenant)
		if errors.Is(err, ErrUnknownTenant) {
			http.NotFound(w, r)
			return
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s)
	case http.MethodPut:
		var s Settings
		if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := h.Cache.Update(r.Context(), tenant, s); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}
