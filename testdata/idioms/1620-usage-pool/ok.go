package a

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type Destructor interface{ Destruct() error }

// Constructor makes a new value; it may be slow.
type Constructor func() (Destructor, error)

type usagePoolVal struct {
	refs int32 // accessed atomically, changed while the pool is locked
	sync.RWMutex
	value Destructor
	err   error
}

// UsagePool is a map of values that are shared by their users and destructed
// by the last one.
type UsagePool struct {
	sync.RWMutex
	pool map[string]*usagePoolVal
}

func NewUsagePool() *UsagePool { return &UsagePool{pool: make(map[string]*usagePoolVal)} }

// LoadOrNew loads the value of a key, or calls construct if there is none.
func (up *UsagePool) LoadOrNew(key string, construct Constructor) (value Destructor, loaded bool, err error) {
	up.Lock()
	upv, loaded := up.pool[key]
	if loaded {
		atomic.AddInt32(&upv.refs, 1)
		up.Unlock()
		upv.RLock()
		value = upv.value
		err = upv.err
		upv.RUnlock()
		return
	}
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
		if up.pool[key] == upv {
			delete(up.pool, key)
		}
		up.Unlock()
	}
	upv.Unlock()
	return
}

// Delete gives up one usage; the last one destructs the value.
func (up *UsagePool) Delete(key string) (deleted bool, err error) {
	up.Lock()
	upv, ok := up.pool[key]
	if !ok {
		up.Unlock()
		return false, nil
	}
	refs := atomic.AddInt32(&upv.refs, -1)
	if refs != 0 {
		up.Unlock()
		if refs < 0 {
			panic(fmt.Sprintf("deleted too often: %d", refs))
		}
		return false, nil
	}
	delete(up.pool, key)
	up.Unlock()
	upv.RLock()
	val := upv.value
	upv.RUnlock()
	if val == nil {
		return true, nil
	}
	return true, val.Destruct()
}

// References returns the number of users of a key.
func (up *UsagePool) References(key string) (int, bool) {
	up.RLock()
	defer up.RUnlock()
	upv, loaded := up.pool[key]
	if loaded {
		return int(atomic.LoadInt32(&upv.refs)), true
	}
	return 0, false
}
