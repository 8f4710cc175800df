// Package session authenticates requests by their session id.
package session

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/atomvet/atomvet/testdata/kernels/zi-10-revoked-session/bug/cache"
)

var (
	ErrRevoked = errors.New("session: revoked")
	ErrNone    = errors.New("session: none")
)

// Record is a session as the database has it.
type Record struct {
	ID      string
	User    string
	Revoked bool
}

// Store is the database of sessions.
type Store interface {
	Load(ctx context.Context, id string) (Record, error)
	MarkRevoked(ctx context.Context, id string) error
}

// Manager puts a cache in front of the store, as every request of the API asks
// for its session.
type Manager struct {
	store Store
	cache *cache.Cache[Record]
}

func NewManager(store Store) *Manager {
	return &Manager{store: store, cache: cache.New[Record](15 * time.Minute)}
}

// Authenticate returns the session with the given id.
func (m *Manager) Authenticate(ctx context.Context, id string) (Record, error) {
	if r, ok := m.cache.Get(id); ok {
		return r, nil
	}
	r, err := m.store.Load(ctx, id)
	if err != nil {
		return Record{}, err
	}
	if r.Revoked {
		return Record{}, ErrRevoked
	}
	m.cache.Put(id, r)
	return r, nil
}

// Revoke ends a session: when it has returned, the id is of no use any more
// for requests that come in.
func (m *Manager) Revoke(ctx context.Context, id string) error {
	if err := m.store.MarkRevoked(ctx, id); err != nil {
		return err
	}
	m.cache.Delete(id)
	return nil
}

type userKey struct{}

// User returns the user whom the middleware has put into the context.
func User(ctx context.Context) (string, bool) {
	u, ok := ctx.Value(userKey{}).(string)
	return u, ok
}

// Middleware lets only requests with a session through.
func (m *Manager) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec, err := m.fromRequest(r)
		if err != nil {
			http.Error(w, "sign in first", http.StatusUnauthorized)
			return
		}
		ctx := context.WithValue(r.Context(), userKey{}, rec.User)
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func (m *Manager) fromRequest(r *http.Request) (Record, error) {
	c, err := r.Cookie("sid")
	if err != nil {
		return Record{}, ErrNone
	}
	return m.Authenticate(r.Context(), c.Value)
}
