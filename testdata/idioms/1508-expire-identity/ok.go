package ok

import (
	"errors"
	"sync"
	"time"
)

var ErrLocked = errors.New("password or unlock")

type Address [20]byte

type Key struct {
	Address Address
	secret  []byte
}

func (k *Key) zero() {
	for i := range k.secret {
		k.secret[i] = 0
	}
}

type unlocked struct {
	*Key
	abort chan struct{}
}

type KeyStore struct {
	mu       sync.RWMutex
	unlocked map[Address]*unlocked
}

func New() *KeyStore {
	return &KeyStore{unlocked: make(map[Address]*unlocked)}
}

// Sign signs with an unlocked key.
func (ks *KeyStore) Sign(addr Address, hash []byte) ([]byte, error) {
	ks.mu.RLock()
	defer ks.mu.RUnlock()
	u, found := ks.unlocked[addr]
	if !found {
		return nil, ErrLocked
	}
	sig := make([]byte, 0, len(hash)+len(u.secret))
	return append(append(sig, hash...), u.secret...), nil
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

// TimedUnlock unlocks the given account. It stays unlocked for the duration of
// timeout; a timeout of 0 unlocks it until the program exits.
func (ks *KeyStore) TimedUnlock(key *Key, timeout time.Duration) {
	ks.mu.Lock()
	defer ks.mu.Unlock()
	u, found := ks.unlocked[key.Address]
	if found {
		if u.abort == nil {
			// The address was unlocked indefinitely, so unlocking it with a
			// timeout would be confusing.
			key.zero()
			return
		}
		// Terminate the expire goroutine and replace it below.
		close(u.abort)
	}
	if timeout > 0 {
		u = &unlocked{Key: key, abort: make(chan struct{})}
		go ks.expire(key.Address, u, timeout)
	} else {
		u = &unlocked{Key: key}
	}
	ks.unlocked[key.Address] = u
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
			u.zero()
			delete(ks.unlocked, addr)
		}
		ks.mu.Unlock()
	}
}
