package a

import (
	"sync"
	"time"
)

type threadSafeStore struct {
	lock  sync.RWMutex
	items map[string]any
}

func (c *threadSafeStore) Get(key string) (any, bool) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	item, exists := c.items[key]
	return item, exists
}

func (c *threadSafeStore) Add(key string, obj any) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.items[key] = obj
}

func (c *threadSafeStore) Delete(key string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	delete(c.items, key)
}

func (c *threadSafeStore) ListKeys() []string {
	c.lock.RLock()
	defer c.lock.RUnlock()
	list := make([]string, 0, len(c.items))
	for key := range c.items {
		list = append(list, key)
	}
	return list
}

// TimestampedEntry is the only type allowed in a ExpirationCache.
type TimestampedEntry struct {
	Obj       any
	Timestamp time.Time
	key       string
}

// ExpirationCache implements the store interface
//  1. All entries are automatically time stamped on insert
//  2. If the key is expired it is removed on get
type ExpirationCache struct {
	cacheStorage *threadSafeStore
	keyFunc      func(obj any) string
	now          func() time.Time
	ttl          time.Duration
	// expirationLock is a write lock used to guarantee that we don't clobber
	// newly inserted objects because of a stale expiration timestamp comparison
	expirationLock sync.Mutex
}

func (c *ExpirationCache) isExpired(e *TimestampedEntry) bool {
	return c.ttl > 0 && c.now().Sub(e.Timestamp) > c.ttl
}

// getTimestampedEntry returns the TimestampedEntry stored under the given key.
func (c *ExpirationCache) getTimestampedEntry(key string) (*TimestampedEntry, bool) {
	item, _ := c.cacheStorage.Get(key)
	if tsEntry, ok := item.(*TimestampedEntry); ok {
		return tsEntry, true
	}
	return nil, false
}

// getOrExpire retrieves the object from the TimestampedEntry if and only if it hasn't
// already expired. It holds a write lock across deletion.
func (c *ExpirationCache) getOrExpire(key string) (any, bool) {
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	timestampedItem, exists := c.getTimestampedEntry(key)
	if !exists {
		return nil, false
	}
	if c.isExpired(timestampedItem) {
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
func (c *ExpirationCache) Add(obj any) {
	key := c.keyFunc(obj)
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	c.cacheStorage.Add(key, &TimestampedEntry{Obj: obj, Timestamp: c.now(), key: key})
}

// Delete removes an item from the cache.
func (c *ExpirationCache) Delete(obj any) {
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	c.cacheStorage.Delete(c.keyFunc(obj))
}
