// Package ok shares values between users that come and go.
package ok

import (
	"fmt"
	"sync"
)

// Destructor is a value that has to be destroyed after its last use.
type Destructor interface {
	Destruct() error
}

// poolValue is locked by its creator until the value has been made.
type poolValue struct {
	refs int // guarded by Pool.mu

	sync.RWMutex
	value Destructor
	err   error
}

// Pool is safe for concurrent use.
type Pool struct {
	mu   sync.Mutex
	pool map[string]*poolValue
}

// NewPool returns an empty pool.
func NewPool() *Pool { return &Pool{pool: make(map[string]*poolValue)} }

// LoadOrNew returns the value with the key. If there is none, it is made with
// construct, which is called without the lock of the pool.
func (p *Pool) LoadOrNew(key string, construct func() (Destructor, error)) (value Destructor, loaded bool, err error) {
	p.mu.Lock()
	pv, loaded := p.pool[key]
	if loaded {
		pv.refs++
		p.mu.Unlock()
		pv.RLock()
		defer pv.RUnlock()
		return pv.value, true, pv.err
	}
	pv = &poolValue{refs: 1}
	pv.Lock()
	defer pv.Unlock()
	p.pool[key] = pv
	p.mu.Unlock()

	pv.value, pv.err = construct()
	if pv.err != nil {
		// Those who wait for the value get the error.
		p.mu.Lock()
		delete(p.pool, key)
		p.mu.Unlock()
	}
	return pv.value, false, pv.err
}

// Delete ends a use of a value that LoadOrNew returned without an error. The
// last one destroys the value.
func (p *Pool) Delete(key string) (deleted bool, err error) {
	p.mu.Lock()
	pv, ok := p.pool[key]
	if !ok {
		p.mu.Unlock()
		return false, fmt.Errorf("pool: no value for %q", key)
	}
	pv.refs--
	if pv.refs > 0 {
		p.mu.Unlock()
		return false, nil
	}
	delete(p.pool, key)
	p.mu.Unlock()

	pv.RLock()
	value := pv.value
	pv.RUnlock()
	return true, value.Destruct()
}

// References returns the number of users of the value with the key.
func (p *Pool) References(key string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pv, ok := p.pool[key]; ok {
		return pv.refs
	}
	return 0
}
