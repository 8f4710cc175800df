// Package ok checks passwords and remembers the verdicts.
package ok

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
)

// ErrNoScheme is returned for a header that is not ours.
var ErrNoScheme = errors.New("not a basic authorization")

const cacheLimit = 1000

// Hasher compares a password with its hash; that takes long on purpose.
type Hasher interface {
	Compare(hash, password []byte) (bool, error)
}

// slowHMAC is a hasher.
type slowHMAC struct {
	salt   []byte
	rounds int
}

// Compare implements Hasher.
func (s slowHMAC) Compare(hash, password []byte) (bool, error) {
	sum := password
	for range s.rounds {
		m := hmac.New(sha256.New, s.salt)
		m.Write(sum)
		sum = m.Sum(nil)
	}
	return hmac.Equal(sum, hash), nil
}

// account is one user; accounts do not change while the gate is in use.
type account struct {
	name string
	hash []byte
}

// verdicts remembers which pairs of hash and password match.
type verdicts struct {
	mu    sync.RWMutex
	cache map[string]bool
}

// makeRoom deletes about a tenth of the entries. The lock is held.
func (v *verdicts) makeRoom() {
	n := max(len(v.cache)/10, 1)
	for key := range v.cache {
		if rand.IntN(10) == 0 {
			delete(v.cache, key)
			if n--; n == 0 {
				return
			}
		}
	}
	// Nothing or not enough was hit; any will do.
	for key := range v.cache {
		delete(v.cache, key)
		return
	}
}

// Gate lets users in.
type Gate struct {
	realm    string
	hasher   Hasher
	accounts map[string]account
	fake     []byte
	verdicts *verdicts
}

// NewGate returns a gate for the given accounts, name to hash.
func NewGate(realm string, h Hasher, hashes map[string][]byte) *Gate {
	g := &Gate{
		realm:    realm,
		hasher:   h,
		accounts: make(map[string]account, len(hashes)),
		fake:     []byte("no such hash"),
		verdicts: &verdicts{cache: make(map[string]bool)},
	}
	for name, hash := range hashes {
		g.accounts[name] = account{name, hash}
	}
	return g
}

// Admit checks an authorization header.
func (g *Gate) Admit(header string) (string, bool, error) {
	enc, ok := strings.CutPrefix(header, "Basic ")
	if !ok {
		return "", false, ErrNoScheme
	}
	raw, err := base64.StdEncoding.DecodeString(enc)
	if err != nil {
		return "", false, err
	}
	name, password, _ := strings.Cut(string(raw), ":")
	a, known := g.accounts[name]
	if !known {
		// Unknown users take as long as known ones.
		a.hash = g.fake
	}
	same, err := g.correct(a, []byte(password))
	if err != nil || !same || !known {
		return "", false, err
	}
	return a.name, true, nil
}

func (g *Gate) correct(a account, password []byte) (bool, error) {
	sum := sha256.New()
	sum.Write(a.hash)
	sum.Write([]byte{0})
	sum.Write(password)
	key := hex.EncodeToString(sum.Sum(nil))

	g.verdicts.mu.RLock()
	same, ok := g.verdicts.cache[key]
	g.verdicts.mu.RUnlock()
	if ok {
		return same, nil
	}

	same, err := g.hasher.Compare(a.hash, password)
	if err != nil {
		return false, err
	}

	g.verdicts.mu.Lock()
	if len(g.verdicts.cache) >= cacheLimit {
		g.verdicts.makeRoom()
	}
	g.verdicts.cache[key] = same
	g.verdicts.mu.Unlock()
	return same, nil
}

// Forget empties the memory.
func (g *Gate) Forget() {
	g.verdicts.mu.Lock()
	clear(g.verdicts.cache)
	g.verdicts.mu.Unlock()
}
