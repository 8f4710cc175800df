package refpool

import (
	"net"
	"sync"
	"sync/atomic"
)

// Closer is a pooled value.
type Closer interface {
	Close() error
}

type poolEntry struct {
	sync.RWMutex
	refs atomic.Int32
	val  Closer
	err  error
}

// RefPool shares values between the old and the new configuration while one
// replaces the other.
type RefPool struct {
	sync.RWMutex
	entries map[string]*poolEntry
}

// NewRefPool returns an empty pool.
func NewRefPool() *RefPool {
	return &RefPool{entries: make(map[string]*poolEntry)}
}

// Acquire returns the value for key, made by build if there is none yet. Every
// successful call must be followed by a Release.
func (rp *RefPool) Acquire(key string, build func() (Closer, error)) (val Closer, loaded bool, err error) {
	rp.Lock()
	e, loaded := rp.entries[key]
	if loaded {
		e.refs.Add(1)
		rp.Unlock()
		e.RLock()
		val, err = e.val, e.err
		e.RUnlock()
		return val, loaded, err
	}
	e = &poolEntry{}
	e.refs.Store(1)
	e.Lock()
	rp.entries[key] = e
	rp.Unlock()
	defer e.Unlock()

	val, err = build()
	if err != nil {
		e.err = err
		rp.Lock()
		delete(rp.entries, key)
		rp.Unlock()
		return nil, false, err
	}
	e.val = val
	return val, false, nil
}

// Release gives a value back; the last one closes it.
func (rp *RefPool) Release(key string) (closed bool, err error) {
	rp.Lock()
	e, ok := rp.entries[key]
	if !ok {
		rp.Unlock()
		return false, nil
	}
	refs := e.refs.Add(-1)
	if refs > 0 {
		rp.Unlock()
		return false, nil
	}
	delete(rp.entries, key)
	rp.Unlock()

	e.RLock()
	val := e.val
	e.RUnlock()
	if val != nil {
		err = val.Close()
	}
	return true, err
}

// Keys lists the keys in use.
func (rp *RefPool) Keys() []string {
	rp.RLock()
	defer rp.RUnlock()
	keys := make([]string, 0, len(rp.entries))
	for k := range rp.entries {
		keys = append(keys, k)
	}
	return keys
}

// Listeners shares sockets between configurations.
type Listeners struct {
	pool *RefPool
}

// NewListeners returns an empty set.
func NewListeners() *Listeners { return &Listeners{pool: NewRefPool()} }

// Listen returns the socket for addr.
func (ls *Listeners) Listen(addr string) (net.Listener, error) {
	v, _, err := ls.pool.Acquire(addr, func() (Closer, error) {
		return net.Listen("tcp", addr)
	})
	if err != nil {
		return nil, err
	}
	return v.(net.Listener), nil
}

// Swap loads the addresses of a new configuration and drops the old ones.
func (ls *Listeners) Swap(old, next []string) chan error {
	res := make(chan error, 1)
	go func() {
		for i, addr := range next {
			if _, err := ls.Listen(addr); err != nil {
				ls.release(next[:i])
				res <- err
				return
			}
		}
		ls.release(old)
		res <- nil
	}()
	return res
}

func (ls *Listeners) release(addrs []string) {
	for _, addr := range addrs {
		_, _ = ls.pool.Release(addr)
	}
}
