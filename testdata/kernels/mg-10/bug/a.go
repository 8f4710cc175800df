package a

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Destructor is a value that must be cleaned up after its last use.
type Destructor interface {
	Destruct() error
}

// usagePoolVal is a value with the number of its users. Its mutex is held for
// writing while the value is constructed.
type usagePoolVal[V Destructor] struct {
	sync.RWMutex
	refs  atomic.Int32
	value V
	err   error
}

// UsagePool shares values between configurations that overlap during a
// reload. Every successful LoadOrNew is paired with one Delete; a value is
// destructed when its last user has deleted it.
type UsagePool[K comparable, V Destructor] struct {
	mu   sync.RWMutex
	pool map[K]*usagePoolVal[V]
}

func NewUsagePool[K comparable, V Destructor]() *UsagePool[K, V] {
	return &UsagePool[K, V]{pool: make(map[K]*usagePoolVal[V])}
}

// LoadOrNew returns the value of the key and counts the caller as a user. A
// value that is not in the pool is constructed; callers who ask for it in the
// meantime wait.
func (up *UsagePool[K, V]) LoadOrNew(key K, construct func() (V, error)) (value V, loaded bool, err error) {
	up.mu.Lock()
	upv, loaded := up.pool[key]
	if loaded {
		upv.refs.Add(1)
		up.mu.Unlock()
		upv.RLock()
		defer upv.RUnlock()
		return upv.value, true, upv.err
	}
	upv = new(usagePoolVal[V])
	upv.refs.Store(1)
	upv.Lock()
	defer upv.Unlock()
	up.pool[key] = upv
	up.mu.Unlock()

	upv.value, upv.err = construct()
	if upv.err != nil {
		up.mu.Lock()
		delete(up.pool, key)
		up.mu.Unlock()
	}
	return upv.value, false, upv.err
}

// Delete ends one use of the value and tells whether it was the last.
func (up *UsagePool[K, V]) Delete(key K) (deleted bool, err error) {
	up.mu.RLock()
	upv, ok := up.pool[key]
	up.mu.RUnlock()
	if !ok {
		return false, nil
	}
	refs := upv.refs.Add(-1)
	if refs < 0 {
		panic(fmt.Sprintf("negative reference count of %v", key))
	}
	if refs > 0 {
		return false, nil
	}
	up.mu.Lock()
	delete(up.pool, key)
	up.mu.Unlock()

	upv.RLock()
	value := upv.value
	upv.RUnlock()
	return true, value.Destruct()
}

// References tells the number of users of a key.
func (up *UsagePool[K, V]) References(key K) (int, bool) {
	up.mu.RLock()
	defer up.mu.RUnlock()
	upv, ok := up.pool[key]
	if !ok {
		return 0, false
	}
	return int(upv.refs.Load()), true
}

// Keys lists the keys in use.
func (up *UsagePool[K, V]) Keys() []K {
	up.mu.RLock()
	defer up.mu.RUnlock()
	keys := make([]K, 0, len(up.pool))
	for k := range up.pool {
		keys = append(keys, k)
	}
	return keys
}

// upstreamHost is shared by all proxy handlers that name the same address.
type upstreamHost struct {
	addr   string
	closed chan struct{}
}

func (h *upstreamHost) Destruct() error {
	close(h.closed)
	return nil
}

var hosts = NewUsagePool[string, *upstreamHost]()

// provisionHost is called when a handler is provisioned.
func provisionHost(addr string) (*upstreamHost, error) {
	h, _, err := hosts.LoadOrNew(addr, func() (*upstreamHost, error) {
		return &upstreamHost{addr: addr, closed: make(chan struct{})}, nil
	})
	return h, err
}

// Handler forwards requests to one upstream.
type Handler struct{ host *upstreamHost }

func NewHandler(addr string) (*Handler, error) {
	h, err := provisionHost(addr)
	if err != nil {
		return nil, err
	}
	return &Handler{host: h}, nil
}

// Cleanup is called once, when the configuration of the handler is unloaded.
func (h *Handler) Cleanup() error {
	_, err := hosts.Delete(h.host.addr)
	return err
}
