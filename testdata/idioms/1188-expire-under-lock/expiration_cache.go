package cache

import (
	"sync"
	"time"
)

// threadSafeMap is a map that is safe to use from several goroutines.
type threadSafeMap struct {
	lock  sync.RWMutex
	items map[string]*timestampedEntry
}

func newThreadSafeMap() *threadSafeMap {
	return &threadSafeMap{items: make(map[string]*timestampedEntry)}
}

func (c *threadSafeMap) Add(key string, e *timestampedEntry) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.items[key] = e
}

func (c *threadSafeMap) Delete(key string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	delete(c.items, key)
}

func (c *threadSafeMap) Get(key string) (*timestampedEntry, bool) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	item, exists := c.items[key]
	return item, exists
}

func (c *threadSafeMap) List() []*timestampedEntry {
	c.lock.RLock()
	defer c.lock.RUnlock()
	list := make([]*timestampedEntry, 0, len(c.items))
	for _, item := range c.items {
		list = append(list, item)
	}
	return list
}

func (c *threadSafeMap) Replace(items map[string]*timestampedEntry) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.items = items
}

// ExpirationCache implements the store interface
//  1. All entries are automatically time stamped on insert
//  2. Expiration happens lazily on read based on the expiration policy
//  3. Time-stamps are stripped off unexpired entries before return
type ExpirationCache struct {
	cacheStorage *threadSafeMap
	keyFunc      func(obj any) (string, error)
	ttl          time.Duration
	// expirationLock is a write lock used to guarantee that we don't clobber
	// newly inserted objects because of a stale expiration timestamp comparison
	expirationLock sync.Mutex
}

type timestampedEntry struct {
	obj       any
	timestamp time.Time
	key       string
}

// NewTTLStore creates and returns a ExpirationCache
func NewTTLStore(keyFunc func(any) (string, error), ttl time.Duration) *ExpirationCache {
	return &ExpirationCache{cacheStorage: newThreadSafeMap(), keyFunc: keyFunc, ttl: ttl}
}

func (c *ExpirationCache) isExpired(e *timestampedEntry) bool {
	return c.ttl > 0 && time.Since(e.timestamp) > c.ttl
}

// getOrExpire retrieves the object from the timestampedEntry if and only if it hasn't
// already expired. It holds a write lock across deletion.
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
	if c.isExpired(timestampedItem) {
		c.cacheStorage.Delete(key)
		return nil, false
	}
	return timestampedItem.obj, true
}

// GetByKey returns the item stored under the key, or sets exists=false.
func (c *ExpirationCache) GetByKey(key string) (any, bool) {
	return c.getOrExpire(key)
}

// List retrieves a list of unexpired items. It purges the cache of expired
// items in the process.
func (c *ExpirationCache) List() []any {
	items := c.cacheStorage.List()

	list := make([]any, 0, len(items))
	for _, item := range items {
		if obj, exists := c.getOrExpire(item.key); exists {
			list = append(list, obj)
		}
	}
	return list
}

// Add timestamps an item and inserts it into the cache, overwriting entries
// that might exist under the same key.
func (c *ExpirationCache) Add(obj any) error {
	key, err := c.keyFunc(obj)
	if err != nil {
		return err
	}
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()

	c.cacheStorage.Add(key, &timestampedEntry{obj, time.Now(), key})
	return nil
}

// Delete removes an item from the cache.
func (c *ExpirationCache) Delete(obj any) error {
	key, err := c.keyFunc(obj)
	if err != nil {
		return err
	}
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	c.cacheStorage.Delete(key)
	return nil
}

// Replace will convert all items in the given list to timestampedEntries
// before attempting the replace operation.
func (c *ExpirationCache) Replace(list []any) error {
	items := make(map[string]*timestampedEntry, len(list))
	ts := time.Now()
	for _, item := range list {
		key, err := c.keyFunc(item)
		if err != nil {
			return err
		}
		items[key] = &timestampedEntry{item, ts, key}
	}
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	c.cacheStorage.Replace(items)
	return nil
}
