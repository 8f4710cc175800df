// Package stmtcache keeps server-side prepared statements of one multiplexed
// database session so that hot queries are parsed only once.
package stmtcache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrEmptyQuery is returned for a query without text.
var ErrEmptyQuery = errors.New("stmtcache: empty query")

// Session is a wire-level session. It may be used by several goroutines; the
// server keeps a statement until CloseStmt is called with its handle.
type Session interface {
	Prepare(ctx context.Context, query string) (handle uint32, err error)
	Execute(ctx context.Context, handle uint32, args []any) (affected int64, err error)
	CloseStmt(handle uint32) error
}

// Stmt is a prepared statement.
type Stmt struct {
	query    string
	handle   uint32
	cached   bool
	prepared time.Time
}

// Stats describes the cache.
type Stats struct {
	Hits, Misses uint64
	Open         int
}

// Cache maps query text to prepared statements. Cached statements live as long
// as the session.
type Cache struct {
	sess Session
	max  int

	mu     sync.Mutex
	stmts  map[string]*Stmt
	hits   uint64
	misses uint64
}

// New returns a cache for sess that holds at most max statements.
func New(sess Session, max int) *Cache {
	return &Cache{sess: sess, max: max, stmts: make(map[string]*Stmt)}
}

// Exec runs query with args, preparing it when needed.
func (c *Cache) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	if query == "" {
		return 0, ErrEmptyQuery
	}
	st, err := c.acquire(ctx, query)
	if err != nil {
		return 0, err
	}
	defer c.release(st)
	n, err := c.sess.Execute(ctx, st.handle, args)
	if err != nil {
		return 0, fmt.Errorf("stmtcache: execute %q: %w", query, err)
	}
	return n, nil
}

func (c *Cache) acquire(ctx context.Context, query string) (*Stmt, error) {
	c.mu.Lock()
	if st, ok := c.stmts[query]; ok {
		c.hits++
		c.mu.Unlock()
		return st, nil
	}
	c.misses++
	c.mu.Unlock()

	h, err := c.sess.Prepare(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("stmtcache: prepare %q: %w", query, err)
	}
	st := &Stmt{query: query, handle: h, prepared: time.Now()}

	c.mu.Lock()
	if len(c.stmts) < c.max {
		st.cached = true
		c.stmts[query] = st
	}
	c.mu.Unlock()
	return st, nil
}

// release gives statements that did not fit into the cache back to the server.
func (c *Cache) release(st *Stmt) {
	if st.cached {
		return
	}
	_ = c.sess.CloseStmt(st.handle)
}

// Stats returns a consistent snapshot of the counters.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{Hits: c.hits, Misses: c.misses, Open: len(c.stmts)}
}

// Oldest returns the preparation time of the oldest cached statement.
func (c *Cache) Oldest() (query string, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for q, st := range c.stmts {
		if at.IsZero() || st.prepared.Before(at) {
			query, at = q, st.prepared
		}
	}
	return query, at
}
