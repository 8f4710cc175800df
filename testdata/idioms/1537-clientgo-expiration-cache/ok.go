package a

import (
	"sync"
	"time"
)

// threadSafeMap is a map with its own lock.
type threadSafeMap struct {
	lock  sync.RWMutex
	items map[string]*TimestampedEntry
}

func (c *threadSafeMap) Get(key string) (*TimestampedEntry, bool) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	item, ok := c.items[key]
	return item, ok
}

func (c *threadSafeMap) Add(key string, obj *TimestampedEntry) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.items[key] = obj
}

func (c *threadSafeMap) Delete(key string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	delete(c.items, key)
}

func (c *threadSafeMap) ListKeys() []string {
	c.lock.RLock()
	defer c.lock.RUnlock()
	keys := make([]string, 0, len(c.items))
	for k := range c.items {
		keys = append(keys, k)
	}
	return keys
}

// TimestampedEntry is the only type allowed in a ExpirationCache.
type TimestampedEntry struct {
	Obj       any
	Timestamp time.Time
}

// ExpirationCache expires items on a per-read basis.
type ExpirationCache struct {
	cacheStorage *threadSafeMap
	ttl          time.Duration
	// expirationLock is a write lock used to guarantee that we don't clobber
	// newly inserted objects because of a stale expiration timestamp
	// comparison
	expirationLock sync.Mutex
}

// NewTTLStore creates and returns an ExpirationCache with a TTLPolicy.
func NewTTLStore(ttl time.Duration) *ExpirationCache {
	return &ExpirationCache{
		cacheStorage: &threadSafeMap{items: map[string]*TimestampedEntry{}},
		ttl:          ttl,
	}
}

// getOrExpire retrieves the object from the TimestampedEntry if and only if it
// hasn't already expired. It holds the expiration lock across deletion.
func (c *ExpirationCache) getOrExpire(key string) (any, bool) {
	// Prevent all inserts from the time we deem an item as "expired" to when we
	// delete it, so an un-expired item doesn't sneak in under the same key, just
	// before the Delete.
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	timestampedItem, exists := c.cacheStorage.Get(key)
	if !exists {
		return nil, false
	}
	if time.Since(timestampedItem.Timestamp) > c.ttl {
		c.cacheStorage.Delete(key)
		return nil, false
	}
	return timestampedItem.Obj, true
}

// GetByKey returns the item stored under the key, or sets exists=false.
func (c *ExpirationCache) GetByKey(key string) (any, bool) {
	return c.getOrExpire(key)
}

// List retrieves a list of unexpired items.
func (c *ExpirationCache) List() []any {
	var list []any
	for _, key := range c.cacheStorage.ListKeys() {
		if obj, exists := c.getOrExpire(key); exists {
			list = append(list, obj)
		}
	}
	return list
}

// Add timestamps an item and inserts it into the cache, overwriting entries
// that might exist under the same key.
func (c *ExpirationCache) Add(key string, obj any) {
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	c.cacheStorage.Add(key, &TimestampedEntry{obj, time.Now()})
}

// Delete removes an item from the cache.
func (c *ExpirationCache) Delete(key string) {
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	c.cacheStorage.Delete(key)
}
