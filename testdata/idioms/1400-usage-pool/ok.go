package caddy

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type Destructor interface {
	Destruct() error
}

type Constructor func() (Destructor, error)

type usagePoolVal struct {
	refs atomic.Int32
	sync.RWMutex
	value Destructor
	err   error
}

// UsagePool shares values by key and destructs them after the last use.
type UsagePool struct {
	mu   sync.RWMutex
	pool map[any]*usagePoolVal
}

func NewUsagePool() *UsagePool {
	return &UsagePool{pool: make(map[any]*usagePoolVal)}
}

func (up *UsagePool) LoadOrNew(key any, construct Constructor) (value Destructor, loaded bool, err error) {
	up.mu.Lock()
	upv, loaded := up.pool[key]
	if loaded {
		upv.refs.Add(1)
		up.mu.Unlock()
		upv.RLock()
		value, err = upv.value, upv.err
		upv.RUnlock()
		return value, loaded, err
	}
	upv = &usagePoolVal{}
	upv.refs.Store(1)
	upv.Lock()
	up.pool[key] = upv
	up.mu.Unlock()

	value, err = construct()
	if err == nil {
		upv.value = value
	} else {
		upv.err = err
		up.mu.Lock()
		delete(up.pool, key)
		up.mu.Unlock()
	}
	upv.Unlock()
	return value, loaded, err
}

// Delete gives one use back; only a caller that has a value may call it.
func (up *UsagePool) Delete(key any) (bool, error) {
	up.mu.Lock()
	upv, ok := up.pool[key]
	if !ok {
		up.mu.Unlock()
		return false, nil
	}
	refs := upv.refs.Add(-1)
	if refs > 0 {
		up.mu.Unlock()
		return false, nil
	}
	delete(up.pool, key)
	up.mu.Unlock()
	if refs < 0 {
		return false, fmt.Errorf("deleted more than stored: %v", key)
	}
	upv.RLock()
	value := upv.value
	upv.RUnlock()
	if value == nil {
		return true, nil
	}
	return true, value.Destruct()
}

// References returns the number of uses of key.
func (up *UsagePool) References(key any) (int, bool) {
	up.mu.RLock()
	defer up.mu.RUnlock()
	upv, ok := up.pool[key]
	if !ok {
		return 0, false
	}
	return int(upv.refs.Load()), true
}
