package cache

import (
	"sync"
	"time"
)

// Object is an API object as it is held in the caches.
type Object struct {
	Namespace       string
	Name            string
	UID             string
	ResourceVersion uint64
	Pool            string
	Devices         []string

	// tombstone marks the replacement for a deleted object in the mutation
	// cache. It never gets returned by ByPool or GetByKey.
	tombstone bool
}

// Key returns the key under which the object is stored.
func (o *Object) Key() string { return o.Namespace + "/" + o.Name }

// Store is the store of the informer.
type Store interface {
	GetByKey(key string) (*Object, bool)
	IndexKeys(pool string) []string
}

// mutationCache doesn't guarantee that it returns values added via Mutation since they can time out.
//
// Objects in the mutation cache are returned even if they don't exist in the underlying store. Note
// that this also applies to objects updated by the caller, not just objects added by it. That's
// because the mutationCache may hold an updated object at a time when the underlying store already
// removed it because it was deleted in the apiserver after the update. To address this, the caller
// can call OnAddOrUpdate and OnDelete from informer event handlers.
type mutationCache struct {
	lock          sync.Mutex
	backingCache  Store
	mutationCache *expireCache

	ttl time.Duration
}

func newMutationCache(backing Store, ttl time.Duration) *mutationCache {
	return &mutationCache{backingCache: backing, mutationCache: newExpireCache(), ttl: ttl}
}

// GetByKey is never guaranteed to return back the value set in Mutation.
func (c *mutationCache) GetByKey(key string) (*Object, bool) {
	c.lock.Lock()
	defer c.lock.Unlock()

	obj, exists := c.backingCache.GetByKey(key)
	if !exists {
		obj, exists = c.mutationCache.Get(key)
		if !exists {
			return nil, false
		}
		// Don't return the tombstone.
		if obj.tombstone {
			return nil, false
		}
		return obj, true
	}
	return c.newerObject(key, obj), true
}

// ByPool returns the newer objects that belong to the pool.
func (c *mutationCache) ByPool(pool string) []*Object {
	c.lock.Lock()
	defer c.lock.Unlock()

	var items []*Object
	keySet := make(map[string]bool)
	for _, key := range c.backingCache.IndexKeys(pool) {
		keySet[key] = true
		obj, exists := c.backingCache.GetByKey(key)
		if !exists {
			continue
		}
		items = append(items, c.newerObject(key, obj))
	}

	for _, key := range c.mutationCache.Keys() {
		updated, ok := c.mutationCache.Get(key)
		if !ok || keySet[key] {
			continue
		}
		if updated.tombstone {
			continue
		}
		if updated.Pool == pool {
			items = append(items, updated)
		}
	}
	return items
}

// newerObject checks the mutation cache for a newer object and returns one if found. If the
// mutated object is older than the backing object, it is removed. Must be
// called while the lock is held.
func (c *mutationCache) newerObject(key string, backing *Object) *Object {
	mutatedObj, exists := c.mutationCache.Get(key)
	if !exists {
		return backing
	}
	if backing.ResourceVersion >= mutatedObj.ResourceVersion {
		c.mutationCache.Remove(key)
		return backing
	}
	return mutatedObj
}

// Mutation adds a change to the cache that can be returned in GetByKey if it is newer than the backingCache
// copy.
func (c *mutationCache) Mutation(obj *Object) {
	c.lock.Lock()
	defer c.lock.Unlock()

	key := obj.Key()
	if mutatedObj, exists := c.mutationCache.Get(key); exists {
		if obj.ResourceVersion < mutatedObj.ResourceVersion {
			return
		}
		if mutatedObj.tombstone {
			if obj.ResourceVersion == mutatedObj.ResourceVersion {
				// Exactly this object instance is known to be deleted.
				// Don't store it, keep the tombstone.
				return
			}
			if obj.UID == mutatedObj.UID {
				// Some other revision of this object instance
				// is known to be deleted. Also don't store it.
				return
			}
		}
	}
	c.mutationCache.Add(key, obj, c.ttl)
}

// OnAddOrUpdate can be called to informer the cache about an object added to
// the store or updated in in. If the object is as recent as the cached object
// or newer, the cached object gets removed because it is no longer
// needed. This keeps the cache smaller.
func (c *mutationCache) OnAddOrUpdate(obj *Object) {
	key := obj.Key()

	c.lock.Lock()
	defer c.lock.Unlock()

	if mutatedObj, exists := c.mutationCache.Get(key); exists {
		// No need to compare the UID here: resource versions can be compared
		// between different instances.
		if obj.ResourceVersion >= mutatedObj.ResourceVersion {
			c.mutationCache.Remove(key)
		}
	}
}

// OnDelete can be called to informer the cache about an object deleted in the store.
// If there is a cached object with the same UID or an older RV, it gets removed.
func (c *mutationCache) OnDelete(obj *Object) {
	key := obj.Key()

	c.lock.Lock()
	defer c.lock.Unlock()

	if mutatedObj, exists := c.mutationCache.Get(key); exists {
		// If the deleted object is known to be more recent than the
		// mutated one, then the mutated one must have been removed
		// because resource versions are incremented by type, not by
		// object instance.
		//
		// If the UID matches, then we can also be sure that it got
		// removed.
		if obj.ResourceVersion >= mutatedObj.ResourceVersion ||
			mutatedObj.UID == obj.UID {
			c.mutationCache.Remove(key)
		} else {
			return
		}
	}

	// Store a tombstone object in the mutation cache.
	// A future Mutation call is outdated if it has a RV
	// which is lower or equal or has the same UID.
	t := &Object{
		Namespace:       obj.Namespace,
		Name:            obj.Name,
		UID:             obj.UID,
		ResourceVersion: obj.ResourceVersion,
		tombstone:       true,
	}
	c.mutationCache.Add(key, t, c.ttl)
}

// expireCache is a map with an expiry for each entry. It is protected by the
// lock of the mutationCache.
type expireCache struct {
	entries map[string]expireEntry
}

type expireEntry struct {
	obj     *Object
	expires time.Time
}

func newExpireCache() *expireCache {
	return &expireCache{entries: make(map[string]expireEntry)}
}

func (e *expireCache) Get(key string) (*Object, bool) {
	entry, ok := e.entries[key]
	if !ok || time.Now().After(entry.expires) {
		return nil, false
	}
	return entry.obj, true
}

func (e *expireCache) Add(key string, obj *Object, ttl time.Duration) {
	e.entries[key] = expireEntry{obj: obj, expires: time.Now().Add(ttl)}
}

func (e *expireCache) Remove(key string) { delete(e.entries, key) }

func (e *expireCache) Keys() []string {
	keys := make([]string, 0, len(e.entries))
	for key := range e.entries {
		keys = append(keys, key)
	}
	return keys
}
