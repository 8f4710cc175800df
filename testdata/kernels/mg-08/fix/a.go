package a

import (
	"errors"
	"hash/fnv"
	"sync"
	"time"
)

var (
	errNoToken   = errors.New("bad token")
	errExhausted = errors.New("token has no uses left")
)

// tokenRevocationPending marks a token whose last use was taken; it is removed
// by the revocation worker.
const tokenRevocationPending = -1

// TokenEntry describes a token. NumUses 0 means that uses are not limited.
type TokenEntry struct {
	ID       string
	Policies []string
	NumUses  int
	TTL      time.Duration
}

// barrierView is the part of the storage the token store may use. Entries go
// in and come out as copies.
type barrierView struct {
	mu      sync.RWMutex
	entries map[string]TokenEntry
}

func (v *barrierView) get(id string) *TokenEntry {
	v.mu.RLock()
	defer v.mu.RUnlock()
	e, ok := v.entries[id]
	if !ok {
		return nil
	}
	return &e
}

func (v *barrierView) put(e *TokenEntry) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.entries[e.ID] = *e
}

func (v *barrierView) remove(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.entries, id)
}

// TokenStore keeps the tokens. A token is changed only under its lock.
type TokenStore struct {
	view       barrierView
	tokenLocks [64]sync.Mutex
	revoke     chan string
}

func NewTokenStore() *TokenStore {
	return &TokenStore{
		view:   barrierView{entries: make(map[string]TokenEntry)},
		revoke: make(chan string, 128),
	}
}

func (ts *TokenStore) lockForToken(id string) *sync.Mutex {
	h := fnv.New32a()
	h.Write([]byte(id))
	return &ts.tokenLocks[h.Sum32()%uint32(len(ts.tokenLocks))]
}

// Create stores a token under a random ID that was made for it.
func (ts *TokenStore) Create(te *TokenEntry) {
	lock := ts.lockForToken(te.ID)
	lock.Lock()
	defer lock.Unlock()
	ts.view.put(te)
}

// Lookup returns a copy of the entry, nil if there is none.
func (ts *TokenStore) Lookup(id string) *TokenEntry {
	return ts.view.get(id)
}

// UseToken takes one use of the token and returns the entry as it is now.
func (ts *TokenStore) UseToken(te *TokenEntry) (*TokenEntry, error) {
	if te == nil {
		return nil, errNoToken
	}
	if te.NumUses == 0 {
		return te, nil
	}
	lock := ts.lockForToken(te.ID)
	lock.Lock()
	defer lock.Unlock()

	if te = ts.view.get(te.ID); te == nil {
		return nil, errNoToken
	}
	switch te.NumUses {
	case tokenRevocationPending:
		return nil, errExhausted
	case 1:
		te.NumUses = tokenRevocationPending
	default:
		te.NumUses--
	}
	ts.view.put(te)
	return te, nil
}

// HandleRequest authorises a request and runs it.
func (ts *TokenStore) HandleRequest(id string, run func(policies []string) error) error {
	te, err := ts.UseToken(ts.Lookup(id))
	if err != nil {
		return err
	}
	if te.NumUses == tokenRevocationPending {
		defer func() { ts.revoke <- te.ID }()
	}
	return run(te.Policies)
}

// Renew sets a new TTL.
func (ts *TokenStore) Renew(id string, ttl time.Duration) error {
	lock := ts.lockForToken(id)
	lock.Lock()
	defer lock.Unlock()
	te := ts.view.get(id)
	if te == nil || te.NumUses == tokenRevocationPending {
		return errNoToken
	}
	te.TTL = ttl
	ts.view.put(te)
	return nil
}

// Revoke removes a token.
func (ts *TokenStore) Revoke(id string) {
	lock := ts.lockForToken(id)
	lock.Lock()
	defer lock.Unlock()
	ts.view.remove(id)
}

// RunRevocation removes tokens that are used up until stop is closed.
func (ts *TokenStore) RunRevocation(stop <-chan struct{}) {
	for {
		select {
		case id := <-ts.revoke:
			ts.Revoke(id)
		case <-stop:
			return
		}
	}
}
