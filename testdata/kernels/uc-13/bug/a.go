package a

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrNoSession is returned for unknown or expired sessions.
var ErrNoSession = errors.New("sessions: no such session")

// Session is the state of a signed-in user. Values are copied freely; the
// roles are never changed in place.
type Session struct {
	ID      string
	User    string
	Roles   []string
	Expires time.Time
}

// table is a locked map of sessions.
type table struct {
	mu   sync.RWMutex
	rows map[string]Session
}

func (t *table) get(id string) (Session, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	s, ok := t.rows[id]
	return s, ok
}

func (t *table) put(s Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows[s.ID] = s
}

func (t *table) remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.rows, id)
}

// modify changes a session in place; an error from change leaves it alone.
func (t *table) modify(id string, change func(s *Session) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.rows[id]
	if !ok {
		return ErrNoSession
	}
	if err := change(&s); err != nil {
		return err
	}
	t.rows[id] = s
	return nil
}

// Store is the session store of the web front end.
type Store struct {
	table
	ttl   time.Duration
	newID func() string
}

// NewStore makes a store; newID must return a fresh random id each time.
func NewStore(ttl time.Duration, newID func() string) *Store {
	return &Store{
		table: table{rows: make(map[string]Session)},
		ttl:   ttl,
		newID: newID,
	}
}

// Login opens a session.
func (st *Store) Login(user string, roles ...string) Session {
	s := Session{
		ID:      st.newID(),
		User:    user,
		Roles:   slices.Clone(roles),
		Expires: time.Now().Add(st.ttl),
	}
	st.put(s)
	return s
}

// Logout ends a session at once.
func (st *Store) Logout(id string) { st.remove(id) }

// Grant adds a role to a session.
func (st *Store) Grant(id, role string) error {
	return st.modify(id, func(s *Session) error {
		if !slices.Contains(s.Roles, role) {
			s.Roles = append(slices.Clone(s.Roles), role)
		}
		return nil
	})
}

// Lookup returns a session that has not expired.
func (st *Store) Lookup(id string) (Session, error) {
	s, ok := st.get(id)
	if !ok || time.Now().After(s.Expires) {
		return Session{}, ErrNoSession
	}
	return s, nil
}

// Renew is called by the middleware on every request and moves the expiry
// of the session.
func (st *Store) Renew(id string) error {
	s, err := st.Lookup(id)
	if err != nil {
		return err
	}
	s.Expires = time.Now().Add(st.ttl)
	st.put(s)
	return nil
}

// Count says how many sessions are stored.
func (st *Store) Count() int {
	st.mu.RLock()
	defer st.mu.RUnlock()
	return len(st.rows)
}
