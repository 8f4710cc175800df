// Package bug shares the state of upstream hosts between configurations.
package bug

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// UsagePool is a thread-safe map that pools values
// based on usage; a LoadOrStore operation increments
// the usage, and a Delete decrements from the usage.
// If the usage count reaches 0, the value will be
// removed from the map. There is no way to overwrite
// existing keys in the pool without first deleting
// it as many times as it was stored. Deleting too
// many times will panic.
type UsagePool struct {
	pool *sync.Map
}

// NewUsagePool returns a new usage pool.
func NewUsagePool() *UsagePool {
	return &UsagePool{pool: new(sync.Map)}
}

// Delete decrements the usage count for key and removes the
// value from the underlying map if the usage is 0. It returns
// true if the usage count reached 0 and the value was deleted.
func (up *UsagePool) Delete(key any) (deleted bool) {
	usageVal, ok := up.pool.Load(key)
	if !ok {
		return false
	}
	upv := usageVal.(*usagePoolVal)
	newUsage := atomic.AddInt32(&upv.usage, -1)
	if newUsage == 0 {
		up.pool.Delete(key)
		return true
	} else if newUsage < 0 {
		panic(fmt.Sprintf("deleted more than stored: %#v (usage: %d)",
			upv.value, newUsage))
	}
	return false
}

// LoadOrStore puts val in the pool and returns false if key does
// not already exist; otherwise if the key exists, it loads the
// existing value, increments the usage for that value, and returns
// the value along with true.
func (up *UsagePool) LoadOrStore(key, val any) (actual any, loaded bool) {
	usageVal := &usagePoolVal{
		usage: 1,
		value: val,
	}
	actual, loaded = up.pool.LoadOrStore(key, usageVal)
	upv := actual.(*usagePoolVal)
	actual = upv.value
	if loaded {
		atomic.AddInt32(&upv.usage, 1)
	}
	return
}

// Range iterates the pool the same way sync.Map.Range does.
// This does not affect usage counts.
func (up *UsagePool) Range(f func(key, value any) bool) {
	up.pool.Range(func(key, value any) bool {
		return f(key, value.(*usagePoolVal).value)
	})
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
