// Package ok shares values between configurations.
package ok

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Constructor is a function that returns a new value that can destruct itself.
type Constructor func() (Destructor, error)

// Destructor is a value that can clean itself up.
type Destructor interface {
	Destruct() error
}

// UsagePool is a thread-safe map that pools values based on usage.
type UsagePool struct {
	sync.RWMutex
	pool map[any]*usagePoolVal
}

type usagePoolVal struct {
	refs  atomic.Int32
	value any
	err   error
	sync.RWMutex
}

// NewUsagePool returns a new usage pool that is ready to use.
func NewUsagePool() *UsagePool {
	return &UsagePool{pool: make(map[any]*usagePoolVal)}
}

// LoadOrNew loads the value associated with key from the pool if it
// already exists. If the key doesn't exist, it will call construct
// to create a new value and then stores that in the pool.
func (up *UsagePool) LoadOrNew(key any, construct Constructor) (value any, loaded bool, err error) {
	var upv *usagePoolVal
	up.Lock()
	upv, loaded = up.pool[key]
	if loaded {
		upv.refs.Add(1)
		up.Unlock()
		upv.RLock()
		value = upv.value
		err = upv.err
		upv.RUnlock()
	} else {
		upv = &usagePoolVal{}
		upv.refs.Store(1)
		upv.Lock()
		up.pool[key] = upv
		up.Unlock()
		value, err = construct()
		if err == nil {
			upv.value = value
		} else {
			upv.err = err
			up.Lock()
			// this *should* be safe, I think, because we have a
			// write lock on upv, but we might also need to ensure
			// that upv.err is nil before doing this, since we
			// released the write lock on up during construct...
			// but then again it's also after midnight...
			delete(up.pool, key)
			up.Unlock()
		}
		upv.Unlock()
	}
	return value, loaded, err
}

// Delete decrements the usage count for key and removes the value if the
// usage is 0. Only who got a value without an error may call it, once.
func (up *UsagePool) Delete(key any) (deleted bool, err error) {
	up.Lock()
	upv, ok := up.pool[key]
	if !ok {
		up.Unlock()
		return false, nil
	}
	refs := upv.refs.Add(-1)
	if refs == 0 {
		delete(up.pool, key)
		up.Unlock()
		upv.RLock()
		val := upv.value
		upv.RUnlock()
		if destructor, ok := val.(Destructor); ok {
			err = destructor.Destruct()
		}
		deleted = true
	} else {
		up.Unlock()
		if refs < 0 {
			panic(fmt.Sprintf("deleted more than stored: %#v", key))
		}
	}
	return deleted, err
}

// Writer is a log output that is opened once for all configurations.
type Writer struct {
	key  string
	pool *UsagePool
}

// Open opens an output.
func Open(pool *UsagePool, key string, open Constructor) (*Writer, error) {
	if _, _, err := pool.LoadOrNew(key, open); err != nil {
		return nil, err
	}
	return &Writer{key: key, pool: pool}, nil
}

// Close gives the output up; it is called once.
func (w *Writer) Close() error {
	_, err := w.pool.Delete(w.key)
	return err
}
