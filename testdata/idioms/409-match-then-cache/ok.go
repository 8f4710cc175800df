// Package ok matches names against patterns and caches the results.
package ok

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	cacheMax   = 1024
	cacheSweep = 256
)

var (
	// ErrInvalidPattern is returned for a pattern with an empty part.
	ErrInvalidPattern = errors.New("invalid pattern")
	// ErrUnknown is returned if an entry is not in the tree.
	ErrUnknown = errors.New("no such entry")
)

// Entry is registered under a pattern; a part may be "*", the last one ">".
type Entry struct {
	Pattern string
	Owner   string
}

// Result is shared by all callers and must not be changed.
type Result struct {
	Entries []*Entry
}

var noEntries = &Result{}

type branch struct {
	entries map[*Entry]struct{}
	rest    map[*Entry]struct{}
	next    map[string]*branch
}

func newBranch() *branch {
	return &branch{
		entries: make(map[*Entry]struct{}),
		rest:    make(map[*Entry]struct{}),
		next:    make(map[string]*branch),
	}
}

// Tree holds entries.
type Tree struct {
	lookups  atomic.Uint64
	hits     atomic.Uint64
	sweeping atomic.Int32

	mu    sync.RWMutex
	root  *branch
	cache map[string]*Result
	count int
}

// New returns an empty tree.
func New() *Tree {
	return &Tree{root: newBranch(), cache: make(map[string]*Result)}
}

func split(s string) ([]string, bool) {
	parts := strings.Split(s, ".")
	for _, p := range parts {
		if p == "" {
			return nil, false
		}
	}
	return parts, true
}

// place returns the set an entry belongs to. The lock is held.
func (t *Tree) place(parts []string, create bool) map[*Entry]struct{} {
	b := t.root
	for i, p := range parts {
		if p == ">" && i == len(parts)-1 {
			return b.rest
		}
		n := b.next[p]
		if n == nil {
			if !create {
				return nil
			}
			n = newBranch()
			b.next[p] = n
		}
		b = n
	}
	return b.entries
}

// Insert adds an entry.
func (t *Tree) Insert(e *Entry) error {
	parts, ok := split(e.Pattern)
	if !ok {
		return ErrInvalidPattern
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	set := t.place(parts, true)
	if _, dup := set[e]; dup {
		return nil
	}
	set[e] = struct{}{}
	t.count++
	clear(t.cache)
	return nil
}

// Remove takes an entry out.
func (t *Tree) Remove(e *Entry) error {
	parts, ok := split(e.Pattern)
	if !ok {
		return ErrInvalidPattern
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	set := t.place(parts, false)
	if _, ok := set[e]; !ok {
		return ErrUnknown
	}
	delete(set, e)
	t.count--
	clear(t.cache)
	return nil
}

func walk(b *branch, parts []string, r *Result) {
	if b == nil {
		return
	}
	if len(parts) == 0 {
		for e := range b.entries {
			r.Entries = append(r.Entries, e)
		}
		return
	}
	for e := range b.rest {
		r.Entries = append(r.Entries, e)
	}
	walk(b.next["*"], parts[1:], r)
	if parts[0] != "*" {
		walk(b.next[parts[0]], parts[1:], r)
	}
}

// Match returns the entries for a name.
func (t *Tree) Match(name string) *Result {
	t.lookups.Add(1)

	t.mu.RLock()
	r, ok := t.cache[name]
	t.mu.RUnlock()
	if ok {
		t.hits.Add(1)
		return r
	}

	parts, ok := split(name)
	if !ok {
		return noEntries
	}
	result := &Result{}

	t.mu.Lock()
	walk(t.root, parts, result)
	if len(result.Entries) == 0 {
		result = noEntries
	}
	t.cache[name] = result
	n := len(t.cache)
	t.mu.Unlock()

	if n > cacheMax && t.sweeping.CompareAndSwap(0, 1) {
		go t.sweep()
	}
	return result
}

// sweep drops results until there are few.
func (t *Tree) sweep() {
	defer t.sweeping.Store(0)
	t.mu.Lock()
	for name := range t.cache {
		if len(t.cache) <= cacheSweep {
			break
		}
		delete(t.cache, name)
	}
	t.mu.Unlock()
}

// Count returns the number of entries.
func (t *Tree) Count() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.count
}
