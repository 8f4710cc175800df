// Package searchidx serves queries from immutable index generations on disk.
// A new generation replaces the current one while queries are running.
package searchidx

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// ErrClosed is returned once the index has been closed.
var ErrClosed = errors.New("searchidx: closed")

const postingSize = 8

// Generation is one immutable build of the index. Its files are closed when
// the last reference goes.
type Generation struct {
	id       uint64
	postings *os.File
	terms    map[string]extent
	refs     atomic.Int32
}

type extent struct {
	off   int64
	count int
}

// OpenGeneration opens the postings file in dir. The caller owns one
// reference.
func OpenGeneration(dir string, id uint64, terms map[string][2]int64) (*Generation, error) {
	f, err := os.Open(filepath.Join(dir, "postings.dat"))
	if err != nil {
		return nil, err
	}
	g := &Generation{id: id, postings: f, terms: make(map[string]extent, len(terms))}
	for t, e := range terms {
		g.terms[t] = extent{off: e[0], count: int(e[1])}
	}
	g.refs.Store(1)
	return g, nil
}

func (g *Generation) retain() {
	g.refs.Add(1)
}

// Release gives back a reference.
func (g *Generation) Release() {
	if g.refs.Add(-1) == 0 {
		g.postings.Close()
	}
}

// Lookup returns the document numbers that hold term.
func (g *Generation) Lookup(term string) ([]uint64, error) {
	e, ok := g.terms[term]
	if !ok {
		return nil, nil
	}
	buf := make([]byte, e.count*postingSize)
	if _, err := g.postings.ReadAt(buf, e.off); err != nil {
		return nil, err
	}
	docs := make([]uint64, e.count)
	for i := range docs {
		docs[i] = binary.LittleEndian.Uint64(buf[i*postingSize:])
	}
	return docs, nil
}

// Index points at the current generation. It is safe for concurrent use.
type Index struct {
	mu      sync.RWMutex
	current *Generation
	closed  bool
}

// New returns an index that serves g and takes over the caller's reference.
func New(g *Generation) *Index {
	return &Index{current: g}
}

// Acquire returns the current generation with a reference for the caller, who
// must Release it.
func (x *Index) Acquire() (*Generation, error) {
	x.mu.RLock()
	if x.closed {
		x.mu.RUnlock()
		return nil, ErrClosed
	}
	g := x.current
	g.retain()
	x.mu.RUnlock()
	return g, nil
}

// Search runs a single-term query.
func (x *Index) Search(term string) ([]uint64, error) {
	g, err := x.Acquire()
	if err != nil {
		return nil, err
	}
	defer g.Release()
	return g.Lookup(term)
}

// Install makes g current, taking over the caller's reference, and drops the
// generation before it. A generation older than the current one is refused.
func (x *Index) Install(g *Generation) error {
	x.mu.Lock()
	if x.closed {
		x.mu.Unlock()
		g.Release()
		return ErrClosed
	}
	if g.id <= x.current.id {
		x.mu.Unlock()
		g.Release()
		return errors.New("searchidx: generation is not newer")
	}
	old := x.current
	x.current = g
	x.mu.Unlock()
	old.Release()
	return nil
}

// Close stops serving. Queries under way finish on their own reference.
func (x *Index) Close() {
	x.mu.Lock()
	if x.closed {
		x.mu.Unlock()
		return
	}
	x.closed = true
	old := x.current
	x.current = nil
	x.mu.Unlock()
	old.Release()
}
