package a

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
)

var ErrNoMatch = errors.New("tm: no translation")

// Backend is the database of approved translations.
type Backend interface {
	Fetch(ctx context.Context, lang, source string) (string, error)
	Save(ctx context.Context, lang, source, target string) error
}

type segment struct{ lang, source string }

type fetch struct {
	done   chan struct{}
	target string
	err    error
}

// Memory is a read-through cache in front of the translation database,
// concurrent lookups of a segment share one query.
type Memory struct {
	db Backend

	mu      sync.Mutex
	cache   map[segment]string
	running map[segment]*fetch
	limit   int
}

func NewMemory(db Backend, limit int) *Memory {
	return &Memory{
		db:      db,
		cache:   make(map[segment]string),
		running: make(map[segment]*fetch),
		limit:   limit,
	}
}

func (m *Memory) storeLocked(k segment, target string) {
	if len(m.cache) >= m.limit {
		for victim := range m.cache {
			delete(m.cache, victim)
			break
		}
	}
	m.cache[k] = target
}

// Lookup returns the approved translation of a segment.
func (m *Memory) Lookup(ctx context.Context, lang, source string) (string, error) {
	k := segment{lang, source}
	m.mu.Lock()
	if target, ok := m.cache[k]; ok {
		m.mu.Unlock()
		return target, nil
	}
	if f, ok := m.running[k]; ok {
		m.mu.Unlock()
		select {
		case <-f.done:
			return f.target, f.err
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	f := &fetch{done: make(chan struct{})}
	m.running[k] = f
	m.mu.Unlock()

	f.target, f.err = m.db.Fetch(context.WithoutCancel(ctx), lang, source)

	m.mu.Lock()
	if m.running[k] == f {
		delete(m.running, k)
		if f.err == nil {
			m.storeLocked(k, f.target)
		}
	}
	m.mu.Unlock()
	close(f.done)
	return f.target, f.err
}

// Correct saves a reviewer's correction.
func (m *Memory) Correct(ctx context.Context, lang, source, target string) error {
	if target == "" {
		return errors.New("tm: empty translation")
	}
	if err := m.db.Save(ctx, lang, source, target); err != nil {
		return fmt.Errorf("tm: save: %w", err)
	}
	k := segment{lang, source}
	m.mu.Lock()
	delete(m.cache, k)
	delete(m.running, k)
	m.mu.Unlock()
	return nil
}

// Size is the number of cached segments.
func (m *Memory) Size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.cache)
}

func (m *Memory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	lang, source := r.FormValue("lang"), r.FormValue("source")
	if r.Method == http.MethodPost {
		if err := m.Correct(r.Context(), lang, source, r.FormValue("target")); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
		return
	}
	target, err := m.Lookup(r.Context(), lang, source)
	switch {
	case errors.Is(err, ErrNoMatch):
		http.NotFound(w, r)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		fmt.Fprintln(w, target)
	}
}
