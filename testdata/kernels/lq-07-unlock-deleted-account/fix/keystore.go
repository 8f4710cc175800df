package keystore

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"
)

var (
	ErrLocked  = errors.New("password or unlock")
	ErrNoMatch = errors.New("no key for given address or file")
	ErrDecrypt = errors.New("could not decrypt key with given password")
)

type Address [20]byte

type Account struct {
	Address Address
	Path    string
}

type Key struct {
	Address    Address
	PrivateKey []byte
}

// accountCache is a live index of all accounts in the keystore.
type accountCache struct {
	mu     sync.Mutex
	byAddr map[Address]Account
}

func (ac *accountCache) hasAddress(addr Address) bool {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	_, ok := ac.byAddr[addr]
	return ok
}

func (ac *accountCache) find(a Account) (Account, error) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	found, ok := ac.byAddr[a.Address]
	if !ok {
		return a, ErrNoMatch
	}
	return found, nil
}

func (ac *accountCache) add(a Account) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	ac.byAddr[a.Address] = a
}

func (ac *accountCache) delete(a Account) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	delete(ac.byAddr, a.Address)
}

// KeyStore manages a key storage directory on disk.
type KeyStore struct {
	dir      string
	cache    *accountCache         // In-memory account cache over the filesystem storage
	unlocked map[Address]*unlocked // Currently unlocked account (decrypted private keys)

	mu       sync.RWMutex
	unlockMu sync.Mutex // Serializes unlocks with account deletion
	importMu sync.Mutex // Import Mutex locks the import to prevent two insertions from racing
}

type unlocked struct {
	*Key
	abort chan struct{}
}

func NewKeyStore(dir string) *KeyStore {
	return &KeyStore{
		dir:      dir,
		cache:    &accountCache{byAddr: make(map[Address]Account)},
		unlocked: make(map[Address]*unlocked),
	}
}

func mask(auth string) []byte {
	sum := sha256.Sum256([]byte(auth))
	return sum[:]
}

func zeroKey(k []byte) {
	clear(k)
}

func (ks *KeyStore) getKey(a Account, auth string) (*Key, error) {
	data, err := os.ReadFile(a.Path)
	if err != nil {
		return nil, err
	}
	if len(data) != 64 || !hmac.Equal(data[32:], mask(auth)) {
		return nil, ErrDecrypt
	}
	return &Key{Address: a.Address, PrivateKey: data[:32]}, nil
}

func (ks *KeyStore) getDecryptedKey(a Account, auth string) (Account, *Key, error) {
	a, err := ks.cache.find(a)
	if err != nil {
		return a, nil, err
	}
	key, err := ks.getKey(a, auth)
	return a, key, err
}

// Import stores the given key into the key directory.
func (ks *KeyStore) Import(key *Key, passphrase string) (Account, error) {
	ks.importMu.Lock()
	defer ks.importMu.Unlock()
	if ks.cache.hasAddress(key.Address) {
		return Account{}, errors.New("account already exists")
	}
	a := Account{Address: key.Address, Path: filepath.Join(ks.dir, hex.EncodeToString(key.Address[:]))}
	if err := os.WriteFile(a.Path, append(key.PrivateKey[:32:32], mask(passphrase)...), 0o600); err != nil {
		return Account{}, err
	}
	ks.cache.add(a)
	return a, nil
}

// Delete deletes the key matched by account if the passphrase is correct.
func (ks *KeyStore) Delete(a Account, passphrase string) error {
	ks.unlockMu.Lock()
	defer ks.unlockMu.Unlock()

	// Decrypting the key isn't really necessary, but we do it anyway to check
	// the password and zero out the key immediately afterwards.
	a, key, err := ks.getDecryptedKey(a, passphrase)
	if err != nil {
		return err
	}
	zeroKey(key.PrivateKey)
	// The order is crucial here. The key is dropped from the cache after the
	// file is gone.
	if err := os.Remove(a.Path); err != nil {
		return err
	}
	ks.cache.delete(a)
	return ks.Lock(a.Address)
}

// SignHash calculates a signature for the given hash.
func (ks *KeyStore) SignHash(a Account, hash []byte) ([]byte, error) {
	ks.mu.RLock()
	defer ks.mu.RUnlock()
	unlockedKey, found := ks.unlocked[a.Address]
	if !found {
		return nil, ErrLocked
	}
	h := hmac.New(sha256.New, unlockedKey.PrivateKey)
	h.Write(hash)
	return h.Sum(nil), nil
}

// Lock removes the private key with the given address from memory.
func (ks *KeyStore) Lock(addr Address) error {
	ks.mu.Lock()
	defer ks.mu.Unlock()
	if u, found := ks.unlocked[addr]; found {
		if u.abort != nil {
			close(u.abort)
		}
		zeroKey(u.PrivateKey)
		delete(ks.unlocked, addr)
	}
	return nil
}

// TimedUnlock unlocks the given account with the passphrase. The account stays
// unlocked for the duration of timeout, 0 means until the program exits.
func (ks *KeyStore) TimedUnlock(a Account, passphrase string, timeout time.Duration) error {
	ks.unlockMu.Lock()
	defer ks.unlockMu.Unlock()

	a, key, err := ks.getDecryptedKey(a, passphrase)
	if err != nil {
		return err
	}

	ks.mu.Lock()
	defer ks.mu.Unlock()
	u, found := ks.unlocked[a.Address]
	if found {
		if u.abort == nil {
			// The address was unlocked indefinitely, so unlocking
			// it with a timeout would be confusing.
			zeroKey(key.PrivateKey)
			return nil
		}
		// Terminate the expire goroutine and replace it below.
		close(u.abort)
	}
	if timeout > 0 {
		u = &unlocked{Key: key, abort: make(chan struct{})}
		go ks.expire(a.Address, u, timeout)
	} else {
		u = &unlocked{Key: key}
	}
	ks.unlocked[a.Address] = u
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
		// only drop if it's still the same key instance that expire was
		// launched with.
		if ks.unlocked[addr] == u {
			zeroKey(u.PrivateKey)
			delete(ks.unlocked, addr)
		}
		ks.mu.Unlock()
	}
}
