// Package fix shares the state of upstream hosts between configurations.
package fix

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// UsagePool is a thread-safe map that pools values
// based on usage (reference counting). Values are
// only inserted if they do not already exist. There is
// no way to overwrite existing keys in the pool without
// first deleting it as many times as it was stored.
// Deleting too many times will panic.
type UsagePool struct {
	sync.RWMutex
	pool map[any]*usagePoolVal
}

// NewUsagePool returns a new usage pool.
func NewUsagePool() *UsagePool {
	return &UsagePool{pool: make(map[any]*usagePoolVal)}
}

// Delete decrements the usage count for key and removes the
// value from the underlying map if the usage is 0. It returns
// true if the usage count reached 0 and the value was deleted.
func (up *UsagePool) Delete(key any) (deleted bool) {
	up.Lock()
	upv, ok := up.pool[key]
	if !ok {
		up.Unlock()
		return false
	}
	refs := atomic.AddInt32(&upv.usage, -1)
	if refs == 0 {
		delete(up.pool, key)
		up.Unlock()
		return true
	}
	up.Unlock()
	if refs < 0 {
		panic(fmt.Sprintf("deleted more than stored: %#v (usage: %d)",
			upv.value, refs))
	}
	return false
}

// LoadOrStore loads the value associated with key from the pool if it
// already exists, or stores it if it does not exist. It returns the
// value that was either loaded or stored, and true if the value already
// existed.
func (up *UsagePool) LoadOrStore(key, val any) (value any, loaded bool) {
	up.Lock()
	defer up.Unlock()
	upv, loaded := up.pool[key]
	if loaded {
		atomic.AddInt32(&upv.usage, 1)
		return upv.value, true
	}
	up.pool[key] = &usagePoolVal{usage: 1, value: val}
	return val, false
}

// Range iterates the pool similarly to how sync.Map.Range() does.
func (up *UsagePool) Range(f func(key, value any) bool) {
	up.RLock()
	defer up.RUnlock()
	for key, upv := range up.pool {
		if !f(key, upv.value) {
			break
		}
	}
}

type usagePoolVal struct {
	usage int32 // accessed atomically
	value any
}

// Host is the state of an upstream that survives a change of configuration.
type Host struct {
	numRequests atomic.Int64
	fails       atomic.Int64
}

// hosts is the global repository for hosts that are currently in use.
var hosts = NewUsagePool()

// Upstream bridges a configured address with its host.
type Upstream struct {
	Dial string
	host *Host
}

// Handler is a reverse proxy of one configuration.
type Handler struct {
	Upstreams []*Upstream
}

// Provision joins the shared hosts. The new configuration is provisioned while
// the old one still runs.
func (h *Handler) Provision() {
	for _, u := range h.Upstreams {
		existing, _ := hosts.LoadOrStore(u.Dial, new(Host))
		u.host = existing.(*Host)
	}
}

// Cleanup leaves the shared hosts.
func (h *Handler) Cleanup() {
	for _, u := range h.Upstreams {
		hosts.Delete(u.Dial)
	}
}

// Serve counts one request.
func (u *Upstream) Serve(roundTrip func() error) error {
	u.host.numRequests.Add(1)
	defer u.host.numRequests.Add(-1)
	err := roundTrip()
	if err != nil {
		u.host.fails.Add(1)
	}
	return err
}

// Health reports the failures of all hosts in use.
func Health() map[string]int64 {
	m := make(map[string]int64)
	hosts.Range(func(key, value any) bool {
		m[key.(string)] = value.(*Host).fails.Load()
		return true
	})
	return m
}
