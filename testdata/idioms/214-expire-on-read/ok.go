// Package ok is a cache whose entries expire.
package ok

import (
	"fmt"
	"sync"
	"time"
)

// KeyFunc knows how to make a key from an object.
type KeyFunc func(obj any) (string, error)

// ThreadSafeStore allows concurrent access to a storage backend.
type ThreadSafeStore interface {
	Add(key string, obj any)
	Delete(key string)
	Get(key string) (item any, exists bool)
	List() []any
	Replace(items map[string]any)
}

type threadSafeMap struct {
	lock  sync.RWMutex
	items map[string]any
}

func (c *threadSafeMap) Add(key string, obj any) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.items[key] = obj
}

func (c *threadSafeMap) Delete(key string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	delete(c.items, key)
}

func (c *threadSafeMap) Get(key string) (item any, exists bool) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	item, exists = c.items[key]
	return item, exists
}

func (c *threadSafeMap) List() []any {
	c.lock.RLock()
	defer c.lock.RUnlock()
	list := make([]any, 0, len(c.items))
	for _, item := range c.items {
		list = append(list, item)
	}
	return list
}

func (c *threadSafeMap) Replace(items map[string]any) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.items = items
}

// timestampedEntry is the only type allowed in an ExpirationCache.
type timestampedEntry struct {
	Obj       any
	Timestamp time.Time
	key       string
}

// ExpirationCache implements the store interface. Values are stored with a
// timestamp when added and expire on read.
type ExpirationCache struct {
	cacheStorage ThreadSafeStore
	keyFunc      KeyFunc
	now          func() time.Time
	ttl          time.Duration
	// expirationLock is a write lock used to guarantee that we don't clobber
	// newly inserted objects because of a stale expiration timestamp comparison
	expirationLock sync.Mutex
}

// NewTTLStore creates and returns an ExpirationCache.
func NewTTLStore(keyFunc KeyFunc, ttl time.Duration) *ExpirationCache {
	return &ExpirationCache{
		cacheStorage: &threadSafeMap{items: make(map[string]any)},
		keyFunc:      keyFunc,
		now:          time.Now,
		ttl:          ttl,
	}
}

// getTimestampedEntry returns the timestampedEntry stored under the given key.
func (c *ExpirationCache) getTimestampedEntry(key string) (*timestampedEntry, bool) {
	item, _ := c.cacheStorage.Get(key)
	if tsEntry, ok := item.(*timestampedEntry); ok {
		return tsEntry, true
	}
	return nil, false
}

// getOrExpire retrieves the object from the timestampedEntry if and only if it
// hasn't already expired. It holds a write lock across deletion.
func (c *ExpirationCache) getOrExpire(key string) (any, bool) {
	// Prevent all inserts from the time we deem an item as "expired" to when we
	// delete it, so an un-expired item doesn't sneak in under the same key, just
	// before the Delete.
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	timestampedItem, exists := c.getTimestampedEntry(key)
	if !exists {
		return nil, false
	}
	if c.now().Sub(timestampedItem.Timestamp) > c.ttl {
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
	items := c.cacheStorage.List()

	list := make([]any, 0, len(items))
	for _, item := range items {
		key := item.(*timestampedEntry).key
		if obj, exists := c.getOrExpire(key); exists {
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
		return fmt.Errorf("no key for object: %w", err)
	}
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()

	c.cacheStorage.Add(key, &timestampedEntry{obj, c.now(), key})
	return nil
}

// Replace will convert all items in the given list to timestampedEntries
// before attempting the replace operation.
func (c *ExpirationCache) Replace(list []any) error {
	items := make(map[string]any, len(list))
	ts := c.now()
	for _, item := range list {
		key, err := c.keyFunc(item)
		if err != nil {
			return fmt.Errorf("no key for object: %w", err)
		}
		items[key] = &timestampedEntry{item, ts, key}
	}
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	c.cacheStorage.Replace(items)
	return nil
}
