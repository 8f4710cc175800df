package keystore

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"sync"
	"time"
)

var ErrLocked = errors.New("password or unlock")

type Address [20]byte

type Key struct {
	Address    Address
	PrivateKey *ecdsa.PrivateKey
}

type unlocked struct {
	*Key
	abort chan struct{}
}

// KeyStore manages a key storage directory on disk.
type KeyStore struct {
	load     func(addr Address, passphrase string) (*Key, error)
	unlocked map[Address]*unlocked // Currently unlocked account (decrypted private keys)
	mu       sync.RWMutex
}

func NewKeyStore(load func(Address, string) (*Key, error)) *KeyStore {
	return &KeyStore{load: load, unlocked: make(map[Address]*unlocked)}
}

// NewKey makes a key that is not stored.
func NewKey(addr Address) (*Key, error) {
	priv, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return &Key{Address: addr, PrivateKey: priv}, nil
}

// SignHash calculates a ECDSA signature for the given hash.
func (ks *KeyStore) SignHash(addr Address, hash []byte) ([]byte, error) {
	// Look up the key to sign with and abort if it cannot be found
	ks.mu.RLock()
	defer ks.mu.RUnlock()

	unlockedKey, found := ks.unlocked[addr]
	if !found {
		return nil, ErrLocked
	}
	// Sign the hash using plain ECDSA operations
	return ecdsa.SignASN1(rand.Reader, unlockedKey.PrivateKey, hash)
}

// Lock removes the private key with the given address from memory.
func (ks *KeyStore) Lock(addr Address) error {
	ks.mu.Lock()
	unl, found := ks.unlocked[addr]
	ks.mu.Unlock()
	if found {
		ks.expire(addr, unl, time.Duration(0)*time.Nanosecond)
	}
	return nil
}

// TimedUnlock unlocks the given account with the passphrase. The account
// stays unlocked for the duration of timeout. A timeout of 0 unlocks the account
// until the program exits. The account must match a unique key file.
//
// If the account address is already unlocked for a duration, TimedUnlock extends or
// shortens the active unlock timeout. If the address was previously unlocked
// indefinitely the timeout is not altered.
func (ks *KeyStore) TimedUnlock(addr Address, passphrase string, timeout time.Duration) error {
	key, err := ks.load(addr, passphrase)
	if err != nil {
		return err
	}

	ks.mu.Lock()
	defer ks.mu.Unlock()
	u, found := ks.unlocked[addr]
	if found {
		if u.abort == nil {
			// The address was unlocked indefinitely, so unlocking
			// it with a timeout would be confusing.
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

func (ks *KeyStore) expire(addr Address, u *unlocked, timeout time.Duration) {
	t := time.NewTimer(timeout)
	defer t.Stop()
	select {
	case <-u.abort:
		// just quit
	case <-t.C:
		ks.mu.Lock()
		// only drop if it's still the same key instance that dropLater
		// was launched with. we can check that using pointer equality
		// because the map stores a new pointer every time the key is
		// unlocked.
		if ks.unlocked[addr] == u {
			delete(ks.unlocked, addr)
		}
		ks.mu.Unlock()
	}
}
