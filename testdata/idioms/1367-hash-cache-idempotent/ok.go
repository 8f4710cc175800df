package caddyauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"sync"
)

// Comparer compares a plaintext with a hash.
type Comparer interface {
	Compare(hashedPassword, plaintextPassword []byte) (bool, error)
}

type sha256Hash struct{ rounds int }

func (h sha256Hash) Compare(hashed, plaintext []byte) (bool, error) {
	sum := sha256.Sum256(plaintext)
	for i := 0; i < h.rounds; i++ {
		sum = sha256.Sum256(sum[:])
	}
	return subtle.ConstantTimeCompare(hashed, sum[:]) == 1, nil
}

// Account contains a username and password.
type Account struct {
	Username string
	password []byte
}

// Cache enables caching of basic auth results.
type Cache struct {
	mu *sync.RWMutex

	// map of concatenated hashed password + plaintext password, to result
	cache map[string]bool
}

// HTTPBasicAuth facilitates HTTP basic authentication. The accounts are not
// changed after provisioning.
type HTTPBasicAuth struct {
	Hash         Comparer
	Accounts     map[string]Account
	HashCache    *Cache
	fakePassword []byte
}

func New(accounts map[string]Account, rounds int) *HTTPBasicAuth {
	return &HTTPBasicAuth{
		Hash:         sha256Hash{rounds},
		Accounts:     accounts,
		HashCache:    &Cache{mu: new(sync.RWMutex), cache: make(map[string]bool)},
		fakePassword: make([]byte, sha256.Size),
	}
}

// Authenticate validates the user credentials and returns whether they are valid.
func (hba *HTTPBasicAuth) Authenticate(username, plaintext string) (bool, error) {
	account, accountExists := hba.Accounts[username]
	if !accountExists {
		// don't return early if account does not exist; we want to try to
		// avoid side-channels that leak existence
		account.password = hba.fakePassword
	}
	same, err := hba.correctPassword(account, []byte(plaintext))
	if err != nil || !same || !accountExists {
		return false, err
	}
	return true, nil
}

func (hba *HTTPBasicAuth) correctPassword(account Account, plaintextPassword []byte) (bool, error) {
	// if no caching is enabled, simply return the result of hashing + comparing
	if hba.HashCache == nil {
		return hba.Hash.Compare(account.password, plaintextPassword)
	}

	// compute a cache key that is unique for these input parameters
	cacheKey := hex.EncodeToString(account.password) + hex.EncodeToString(plaintextPassword)

	// fast track: if the result of the input is already cached, use it
	hba.HashCache.mu.RLock()
	same, ok := hba.HashCache.cache[cacheKey]
	hba.HashCache.mu.RUnlock()
	if ok {
		return same, nil
	}

	// slow track: do the expensive op, then add it to the cache
	same, err := hba.Hash.Compare(account.password, plaintextPassword)
	if err != nil {
		return false, err
	}
	hba.HashCache.mu.Lock()
	if len(hba.HashCache.cache) >= 1000 {
		hba.HashCache.makeRoom() // keep cache size under control
	}
	hba.HashCache.cache[cacheKey] = same
	hba.HashCache.mu.Unlock()

	return same, nil
}

// makeRoom deletes about 1/10 of the items in the cache in order to keep its
// size under control. It must not be called without a lock on c.mu.
func (c *Cache) makeRoom() {
	numToDelete := max(len(c.cache)/10, 1)
	for key := range c.cache {
		if numToDelete == 0 {
			return
		}
		delete(c.cache, key)
		numToDelete--
	}
}
