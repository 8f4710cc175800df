package api

import (
	"encoding/json"
	"log"
	"slices"
	"sync"
	"time"
)

type kvStore interface {
	PutBytes(key string, val []byte) error
	Bytes(key string) ([]byte, bool, error)
}

// tokenManager keeps the session or CSRF tokens and saves them, a while after
// the last change, to the database.
type tokenManager struct {
	key      string
	miscDB   kvStore
	lifetime time.Duration
	maxItems int

	timeNow func() time.Time // can be overridden for testing

	mut       sync.Mutex
	tokens    map[string]int64
	saveTimer *time.Timer
}

func newTokenManager(key string, miscDB kvStore, lifetime time.Duration, maxItems int) *tokenManager {
	tokens := make(map[string]int64)
	if bs, ok, _ := miscDB.Bytes(key); ok {
		_ = json.Unmarshal(bs, &tokens) // best effort
	}
	return &tokenManager{
		key:      key,
		miscDB:   miscDB,
		lifetime: lifetime,
		maxItems: maxItems,
		timeNow:  time.Now,
		tokens:   tokens,
	}
}

// Check returns true if the token is valid, and updates the token's expiry
// time. The token is removed if it is expired.
func (m *tokenManager) Check(token string) bool {
	m.mut.Lock()
	defer m.mut.Unlock()

	expires, ok := m.tokens[token]
	if ok {
		if expires < m.timeNow().UnixNano() {
			// The token is expired.
			m.saveLocked() // removes expired tokens
			return false
		}

		// Give the token further life.
		m.tokens[token] = m.timeNow().Add(m.lifetime).UnixNano()
		m.saveLocked()
	}
	return ok
}

// New creates a new token and returns it.
func (m *tokenManager) New(token string) string {
	m.mut.Lock()
	defer m.mut.Unlock()

	m.tokens[token] = m.timeNow().Add(m.lifetime).UnixNano()
	m.saveLocked()

	return token
}

// Delete removes a token.
func (m *tokenManager) Delete(token string) {
	m.mut.Lock()
	defer m.mut.Unlock()

	delete(m.tokens, token)
	m.saveLocked()
}

func (m *tokenManager) saveLocked() {
	// Remove expired tokens.
	now := m.timeNow().UnixNano()
	for token, expiry := range m.tokens {
		if expiry < now {
			delete(m.tokens, token)
		}
	}

	// If we have a limit on the number of tokens, remove the oldest ones.
	if m.maxItems > 0 && len(m.tokens) > m.maxItems {
		expiries := make([]int64, 0, len(m.tokens))
		for _, expiry := range m.tokens {
			expiries = append(expiries, expiry)
		}
		slices.Sort(expiries)
		cut := expiries[len(expiries)-m.maxItems]
		for token, expiry := range m.tokens {
			if expiry < cut {
				delete(m.tokens, token)
			}
		}
	}

	// Postpone saving until one second of inactivity.
	if m.saveTimer == nil {
		m.saveTimer = time.AfterFunc(time.Second, m.scheduledSave)
	} else {
		m.saveTimer.Reset(time.Second)
	}
}

func (m *tokenManager) scheduledSave() {
	m.mut.Lock()
	defer m.mut.Unlock()

	m.saveTimer = nil

	bs, err := json.Marshal(m.tokens)
	if err == nil {
		err = m.miscDB.PutBytes(m.key, bs)
	}
	if err != nil {
		log.Println("Saving tokens:", err)
	}
}
