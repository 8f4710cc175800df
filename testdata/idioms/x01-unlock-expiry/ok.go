// Package ok keeps decrypted keys in memory for a while.
package ok

import (
	"errors"
	"sync"
	"time"
)

// ErrLocked is returned if the key is not in memory.
var ErrLocked = errors.New("password or unlock")

type unlocked struct {
	key   []byte
	abort chan struct{}
}

// KeyStore is safe for concurrent use.
type KeyStore struct {
	load func(addr, auth string) ([]byte, error)

	mu       sync.RWMutex
	unlocked map[string]*unlocked
}

// TimedUnlock keeps the key until timeout, for ever if it is 0.
func (ks *KeyStore) TimedUnlock(addr, auth string, timeout time.Duration) error {
	key, err := ks.load(addr, auth)
	if err != nil {
		return err
	}
	ks.mu.Lock()
	defer ks.mu.Unlock()
	u, found := ks.unlocked[addr]
	if found {
		if u.abort == nil {
			// The address was unlocked indefinitely, so unlocking it with a
			// timeout would be confusing.
			return nil
		}
		// Terminate the expire goroutine and replace it below.
		close(u.abort)
	}
	if timeout > 0 {
		u = &unlocked{key: key, abort: make(chan struct{})}
		go ks.expire(addr, u, timeout)
	} else {
		u = &unlocked{key: key}
	}
	ks.unlocked[addr] = u
	return nil
}

func (ks *KeyStore) expire(addr string, u *unlocked, timeout time.Duration) {
	t := time.NewTimer(timeout)
	defer t.Stop()
	select {
	case <-u.abort:
		// just quit
	case <-t.C:
		ks.mu.Lock()
		// Only drop if it's still the same key instance that dropLater
		// was launched with.
		if ks.unlocked[addr] == u {
			delete(ks.unlocked, addr)
		}
		ks.mu.Unlock()
	}
}

// Lock removes the key from memory.
func (ks *KeyStore) Lock(addr string) {
	ks.mu.Lock()
	unl, found := ks.unlocked[addr]
	ks.mu.Unlock()
	if found {
		ks.expire(addr, unl, 0)
	}
}

// Sign uses the key.
func (ks *KeyStore) Sign(addr string, sign func(key []byte) []byte) ([]byte, error) {
	ks.mu.RLock()
	defer ks.mu.RUnlock()
	u, found := ks.unlocked[addr]
	if !found {
		return nil, ErrLocked
	}
	return sign(u.key), nil
}
