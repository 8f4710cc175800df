// Package ok keeps secrets unlocked for a limited time.
package ok

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"sync"
	"time"
)

var (
	// ErrLocked is returned while a secret is locked.
	ErrLocked = errors.New("secret is locked")
	errPhrase = errors.New("could not decrypt the secret with that phrase")
)

type opened struct {
	key   []byte
	abort chan struct{} // nil if there is no time limit
}

func (o *opened) wipe() { clear(o.key) }

// Vault holds sealed secrets.
type Vault struct {
	unseal func(name, phrase string) ([]byte, error)

	mu   sync.RWMutex
	open map[string]*opened
}

// NewVault returns a vault without open secrets. Every call of unseal
// returns a slice of its own.
func NewVault(unseal func(name, phrase string) ([]byte, error)) *Vault {
	return &Vault{unseal: unseal, open: make(map[string]*opened)}
}

// Sign signs data with an unlocked secret.
func (v *Vault) Sign(name string, data []byte) ([]byte, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	o, ok := v.open[name]
	if !ok {
		return nil, ErrLocked
	}
	m := hmac.New(sha256.New, o.key)
	m.Write(data)
	return m.Sum(nil), nil
}

// SignWith signs data without unlocking the secret.
func (v *Vault) SignWith(name, phrase string, data []byte) ([]byte, error) {
	key, err := v.unseal(name, phrase)
	if err != nil {
		return nil, errPhrase
	}
	defer clear(key)
	m := hmac.New(sha256.New, key)
	m.Write(data)
	return m.Sum(nil), nil
}

// Unlock unlocks a secret; a limit of 0 means until Lock is called. If it is
// unlocked already the limit is changed, unless there is none.
func (v *Vault) Unlock(name, phrase string, limit time.Duration) error {
	key, err := v.unseal(name, phrase)
	if err != nil {
		return errPhrase
	}

	v.mu.Lock()
	defer v.mu.Unlock()
	if o, ok := v.open[name]; ok {
		if o.abort == nil {
			clear(key)
			return nil
		}
		// The goroutine of the old entry ends.
		close(o.abort)
		o.wipe()
	}
	o := &opened{key: key}
	if limit > 0 {
		o.abort = make(chan struct{})
		go v.expire(name, o, limit)
	}
	v.open[name] = o
	return nil
}

// Lock locks a secret.
func (v *Vault) Lock(name string) {
	v.mu.RLock()
	o, ok := v.open[name]
	v.mu.RUnlock()
	if ok {
		v.drop(name, o)
	}
}

func (v *Vault) expire(name string, o *opened, limit time.Duration) {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-o.abort:
	case <-t.C:
		v.drop(name, o)
	}
}

// drop removes o if it is still the one in use.
func (v *Vault) drop(name string, o *opened) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.open[name] == o {
		o.wipe()
		delete(v.open, name)
	}
}
