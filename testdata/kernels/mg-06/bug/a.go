package a

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"sync"
	"time"
)

var (
	ErrLocked  = errors.New("password or unlock needed")
	ErrNoMatch = errors.New("no key for given address or file")
)

type Address [20]byte

// Key is a decrypted private key.
type Key struct {
	Address Address
	secret  []byte
}

func zeroKey(k *Key) {
	for i := range k.secret {
		k.secret[i] = 0
	}
}

// unlocked is a key that may be used without a passphrase. abort is nil for a
// key that was unlocked indefinitely.
type unlocked struct {
	*Key
	abort chan struct{}
}

// passphraseStore decrypts the key files on disk. Every call returns a key of
// its own.
type passphraseStore interface {
	GetKey(addr Address, auth string) (*Key, error)
	Addresses() []Address
}

// KeyStore manages the keys of a node.
type KeyStore struct {
	storage  passphraseStore
	mu       sync.RWMutex
	unlocked map[Address]*unlocked
}

func NewKeyStore(storage passphraseStore) *KeyStore {
	return &KeyStore{storage: storage, unlocked: make(map[Address]*unlocked)}
}

func (ks *KeyStore) HasAddress(addr Address) bool {
	for _, a := range ks.storage.Addresses() {
		if a == addr {
			return true
		}
	}
	return false
}

// SignHash signs with an unlocked key.
func (ks *KeyStore) SignHash(addr Address, hash []byte) ([]byte, error) {
	ks.mu.RLock()
	defer ks.mu.RUnlock()
	u, ok := ks.unlocked[addr]
	if !ok {
		return nil, ErrLocked
	}
	return sign(u.Key, hash), nil
}

// SignHashWithPassphrase signs without unlocking the key for others.
func (ks *KeyStore) SignHashWithPassphrase(addr Address, auth string, hash []byte) ([]byte, error) {
	key, err := ks.storage.GetKey(addr, auth)
	if err != nil {
		return nil, err
	}
	defer zeroKey(key)
	return sign(key, hash), nil
}

func sign(k *Key, hash []byte) []byte {
	m := hmac.New(sha256.New, k.secret)
	m.Write(hash)
	return m.Sum(nil)
}

// Unlock unlocks the key indefinitely.
func (ks *KeyStore) Unlock(addr Address, auth string) error {
	return ks.TimedUnlock(addr, auth, 0)
}

// TimedUnlock unlocks the key for a while; with a timeout of 0 until the
// program ends. Unlocking again replaces the active timeout, except that a key
// unlocked indefinitely stays so.
func (ks *KeyStore) TimedUnlock(addr Address, auth string, timeout time.Duration) error {
	if !ks.HasAddress(addr) {
		return ErrNoMatch
	}
	key, err := ks.storage.GetKey(addr, auth)
	if err != nil {
		return err
	}
	ks.mu.Lock()
	defer ks.mu.Unlock()
	if u, found := ks.unlocked[addr]; found {
		if u.abort == nil {
			zeroKey(key)
			return nil
		}
		close(u.abort)
		zeroKey(u.Key)
	}
	u := &unlocked{Key: key}
	if timeout > 0 {
		u.abort = make(chan struct{})
		go ks.expire(addr, u, timeout)
	}
	ks.unlocked[addr] = u
	return nil
}

// expire locks the key again after the timeout, unless it is aborted.
func (ks *KeyStore) expire(addr Address, u *unlocked, timeout time.Duration) {
	t := time.NewTimer(timeout)
	defer t.Stop()
	select {
	case <-u.abort:
	case <-t.C:
		ks.mu.Lock()
		defer ks.mu.Unlock()
		if cur, ok := ks.unlocked[addr]; ok {
			zeroKey(cur.Key)
			delete(ks.unlocked, addr)
		}
	}
}

// Lock takes an unlocked key back at once.
func (ks *KeyStore) Lock(addr Address) error {
	ks.mu.Lock()
	defer ks.mu.Unlock()
	u, found := ks.unlocked[addr]
	if !found {
		return nil
	}
	if u.abort != nil {
		close(u.abort)
	}
	zeroKey(u.Key)
	delete(ks.unlocked, addr)
	return nil
}
