// Package ok holds decrypted keys for a limited time.
package ok

import (
	"errors"
	"sync"
	"time"
)

// ErrLocked is returned for keys that are not unlocked.
var ErrLocked = errors.New("authentication needed: password or unlock")

// Key is a decrypted key.
type Key struct {
	mu    sync.Mutex
	bytes []byte
}

func (k *Key) zero() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.bytes)
	k.bytes = nil
}

func (k *Key) sign(data []byte) []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.bytes) == 0 {
		return nil
	}
	sig := make([]byte, len(data))
	for i := range data {
		sig[i] = data[i] ^ k.bytes[i%len(k.bytes)]
	}
	return sig
}

type unlocked struct {
	*Key
	abort chan struct{} // nil if the key does not expire
}

// KeyStore unlocks keys.
type KeyStore struct {
	decrypt func(addr, passphrase string) ([]byte, error)

	mu       sync.RWMutex
	unlocked map[string]*unlocked
}

// New returns a store that gets keys from decrypt.
func New(decrypt func(addr, passphrase string) ([]byte, error)) *KeyStore {
	return &KeyStore{decrypt: decrypt, unlocked: make(map[string]*unlocked)}
}

// Unlock unlocks a key until Lock is called.
func (ks *KeyStore) Unlock(addr, passphrase string) error {
	return ks.TimedUnlock(addr, passphrase, 0)
}

// TimedUnlock unlocks a key for some time, which replaces an earlier limit. A
// key that was unlocked without a limit stays so.
func (ks *KeyStore) TimedUnlock(addr, passphrase string, timeout time.Duration) error {
	b, err := ks.decrypt(addr, passphrase)
	if err != nil {
		return err
	}
	key := &Key{bytes: b}

	ks.mu.Lock()
	defer ks.mu.Unlock()
	u, found := ks.unlocked[addr]
	if found {
		if u.abort == nil {
			key.zero()
			return nil
		}
		// Terminate the expire goroutine and replace it below.
		close(u.abort)
	}
	if timeout > 0 {
		u = &unlocked{Key: key, abort: make(chan struct{})}
		go ks.expire(addr, u, timeout)
	} else {
		u = &unlocked{Key: key}
	}
	ks.unlocked[addr] = u
	return nil
}

// expire drops u when the time is over, if it is still the one in use.
func (ks *KeyStore) expire(addr string, u *unlocked, timeout time.Duration) {
	t := time.NewTimer(timeout)
	defer t.Stop()
	select {
	case <-u.abort:
		// just quit
	case <-t.C:
		ks.mu.Lock()
		if ks.unlocked[addr] == u {
			u.zero()
			delete(ks.unlocked, addr)
		}
		ks.mu.Unlock()
	}
}

// Lock drops a key.
func (ks *KeyStore) Lock(addr string) {
	ks.mu.RLock()
	u, found := ks.unlocked[addr]
	ks.mu.RUnlock()
	if found {
		ks.expire(addr, u, 0)
	}
}

// Sign signs data with an unlocked key.
func (ks *KeyStore) Sign(addr string, data []byte) ([]byte, error) {
	ks.mu.RLock()
	defer ks.mu.RUnlock()
	u, found := ks.unlocked[addr]
	if !found {
		return nil, ErrLocked
	}
	return u.sign(data), nil
}
