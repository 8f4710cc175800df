package a

import (
	"sync"
	"sync/atomic"
)

// Destructor is a value that can clean itself up when it is deallocated.
type Destructor interface {
	Destruct() error
}

// Constructor is a function that returns a new value.
type Constructor func() (Destructor, error)

type usagePoolVal struct {
	refs  int32 // accessed atomically; must be 64-bit aligned for 32-bit systems
	value Destructor
	err   error
	sync.RWMutex
}

// UsagePool is a thread-safe map that pools values based on usage.
type UsagePool struct {
	sync.RWMutex
	pool map[any]*usagePoolVal
}

// NewUsagePool returns a new usage pool that is ready to use.
func NewUsagePool() *UsagePool {
	return &UsagePool{pool: make(map[any]*usagePoolVal)}
}

// LoadOrNew loads the value associated with key from the pool if it already
// exists. If the key doesn't exist, it will call construct to create a new
// value and then stores that in the pool.
func (up *UsagePool) LoadOrNew(key any, construct Constructor) (value Destructor, loaded bool, err error) {
	var upv *usagePoolVal
	up.Lock()
	upv, loaded = up.pool[key]
	if loaded {
		atomic.AddInt32(&upv.refs, 1)
		up.Unlock()
		upv.RLock()
		value = upv.value
		err = upv.err
		upv.RUnlock()
	} else {
		upv = &usagePoolVal{refs: 1}
		upv.Lock()
		up.pool[key] = upv
		up.Unlock()
		value, err = construct()
		if err == nil {
			upv.value = value
		} else {
			upv.err = err
			up.Lock()
			delete(up.pool, key)
			up.Unlock()
		}
		upv.Unlock()
	}
	return
}

// Delete decrements the usage count for key and removes the
// value from the underlying map if the usage is 0.
func (up *UsagePool) Delete(key any) (deleted bool, err error) {
	up.Lock()
	upv, ok := up.pool[key]
	if !ok {
		up.Unlock()
		return false, nil
	}
	refs := atomic.AddInt32(&upv.refs, -1)
	if refs == 0 {
		delete(up.pool, key)
		up.Unlock()
		upv.RLock()
		val := upv.value
		upv.RUnlock()
		if val != nil {
			err = val.Destruct()
		}
		deleted = true
	} else {
		up.Unlock()
		if refs < 0 {
			panic("deleted more than stored")
		}
	}
	return deleted, err
}

// References returns the number of references (count of usages) to a key.
func (up *UsagePool) References(key any) (int, bool) {
	up.RLock()
	upv, loaded := up.pool[key]
	up.RUnlock()
	if loaded {
		return int(atomic.LoadInt32(&upv.refs)), true
	}
	return 0, false
}
