// Package loginstate updates login sessions in a shared store.
package loginstate

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"
)

// ErrNoSession means that a session does not exist.
var ErrNoSession = errors.New("loginstate: no such session")

// Session is the state of a login.
type Session struct {
	ID     string
	User   string
	Seen   time.Time
	Values map[string]string
}

type store struct {
	mu   sync.RWMutex
	rows map[string]Session
}

func (s *store) load(id string) (Session, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	row, ok := s.rows[id]
	if !ok {
		return Session{}, fmt.Errorf("%w: %s", ErrNoSession, id)
	}
	row.Values = maps.Clone(row.Values)
	return row, nil
}

func (s *store) save(row Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[row.ID] = row
}

func (s *store) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.rows, id)
}

type keyLock struct {
	sync.Mutex
	users int
}

type keyLocks struct {
	mu   sync.Mutex
	keys map[string]*keyLock
}

func (k *keyLocks) lock(key string) (unlock func()) {
	k.mu.Lock()
	l, ok := k.keys[key]
	if !ok {
		l = new(keyLock)
		k.keys[key] = l
	}
	l.users++
	k.mu.Unlock()

	l.Lock()
	return func() {
		l.Unlock()
		k.mu.Lock()
		defer k.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(k.keys, key)
		}
	}
}

// Manager is the only way to the sessions.
type Manager struct {
	store store
	locks keyLocks
}

// NewManager returns a manager without sessions.
func NewManager() *Manager {
	return &Manager{
		store: store{rows: make(map[string]Session)},
		locks: keyLocks{keys: make(map[string]*keyLock)},
	}
}

// Begin makes a session.
func (m *Manager) Begin(id, user string) {
	defer m.locks.lock(id)()
	m.store.save(Session{ID: id, User: user, Seen: time.Now(), Values: map[string]string{}})
}

// Update changes a session.
func (m *Manager) Update(id string, change func(*Session) error) error {
	defer m.locks.lock(id)()
	row, err := m.store.load(id)
	if err != nil {
		return err
	}
	if err := change(&row); err != nil {
		return err
	}
	row.ID = id
	row.Seen = time.Now()
	m.store.save(row)
	return nil
}

// End removes a session.
func (m *Manager) End(id string) error {
	defer m.locks.lock(id)()
	if _, err := m.store.load(id); err != nil {
		return err
	}
	m.store.remove(id)
	return nil
}

// Counting counts the requests of each session.
func (m *Manager) Counting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie("sid")
		if err == nil {
			err = m.Update(c.Value, func(s *Session) error {
				s.Values["requests"] += "."
				return nil
			})
		}
		if err != nil {
			http.Error(w, "please log in", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
