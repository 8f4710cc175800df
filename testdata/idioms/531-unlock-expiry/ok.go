// Package ok keeps decrypted keys for a limited time.
package ok

import (
	"errors"
	"sync"
	"time"
)

var (
	errLocked = errors.New("key is locked")
	errSecret = errors.New("wrong secret")
)

type opened struct {
	material []byte
	abort    chan struct{}
}

// Vault holds sealed keys and those that are open.
type Vault struct {
	unseal func(id, secret string) ([]byte, error)

	mu   sync.RWMutex
	open map[string]*opened
}

// NewVault returns a vault without open keys.
func NewVault(unseal func(id, secret string) ([]byte, error)) *Vault {
	return &Vault{unseal: unseal, open: make(map[string]*opened)}
}

// Sign uses an open key.
func (v *Vault) Sign(id string, sign func(material []byte) []byte) ([]byte, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	o, ok := v.open[id]
	if !ok {
		return nil, errLocked
	}
	return sign(o.material), nil
}

// IsOpen reports whether a key can be used.
func (v *Vault) IsOpen(id string) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	_, ok := v.open[id]
	return ok
}

// Lock removes an open key.
func (v *Vault) Lock(id string) {
	v.mu.Lock()
	o, found := v.open[id]
	v.mu.Unlock()
	if found {
		v.expire(id, o, 0)
	}
}

// Open decrypts a key; with a timeout of 0 it stays open. A key that is open
// for good is not shortened.
func (v *Vault) Open(id, secret string, timeout time.Duration) error {
	material, err := v.unseal(id, secret)
	if err != nil {
		return errSecret
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if old, found := v.open[id]; found {
		if old.abort == nil {
			wipe(material)
			return nil
		}
		close(old.abort)
	}
	o := &opened{material: material}
	if timeout > 0 {
		o.abort = make(chan struct{})
		go v.expire(id, o, timeout)
	}
	v.open[id] = o
	return nil
}

func (v *Vault) expire(id string, o *opened, timeout time.Duration) {
	t := time.NewTimer(timeout)
	defer t.Stop()
	var abort chan struct{}
	if timeout > 0 {
		abort = o.abort
	}
	select {
	case <-abort:
	case <-t.C:
		v.mu.Lock()
		if v.open[id] == o {
			wipe(o.material)
			delete(v.open, id)
		}
		v.mu.Unlock()
	}
}

func wipe(b []byte) {
	for i := range b {
		b[i] = 0
	}
}
