// Package shelf finds the stored spelling of paths below a root whose lookups
// ignore case.
package shelf

import (
	"container/list"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ErrSpelling is returned when a path exists in another spelling.
var ErrSpelling = errors.New("path exists in another spelling")

const (
	listingTTL = time.Second
	maxEntries = 4096
)

// listing is the content of one directory. It is not changed once made.
type listing struct {
	expires time.Time
	exact   map[string]bool
	folded  map[string]string
	err     error
}

func readListing(dir string) *listing {
	ls := &listing{
		exact:  make(map[string]bool),
		folded: make(map[string]string),
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		ls.exact[e.Name()] = true
		ls.folded[strings.ToLower(e.Name())] = e.Name()
	}
	ls.err = err
	ls.expires = time.Now().Add(listingTTL)
	return ls
}

// listingCache keeps the listings used last. It is safe for concurrent use.
type listingCache struct {
	mu    sync.Mutex
	order *list.List
	items map[string]*list.Element
}

type cacheItem struct {
	key string
	ls  *listing
}

func newListingCache() *listingCache {
	return &listingCache{order: list.New(), items: make(map[string]*list.Element)}
}

// Get returns the listing stored for key.
func (c *listingCache) Get(key string) (*listing, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.items[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*cacheItem).ls, true
}

// Add stores a listing, and drops the oldest one of a full cache.
func (c *listingCache) Add(key string, ls *listing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.items[key]; ok {
		el.Value.(*cacheItem).ls = ls
		c.order.MoveToFront(el)
		return
	}
	c.items[key] = c.order.PushFront(&cacheItem{key: key, ls: ls})
	if c.order.Len() > maxEntries {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.items, last.Value.(*cacheItem).key)
	}
}

// Purge empties the cache.
func (c *listingCache) Purge() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.Init()
	clear(c.items)
}

// Registry hands out the cache of a root. All shelves with the same root use
// the same one.
type Registry struct {
	mu     sync.RWMutex
	caches map[string]*listingCache
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{caches: make(map[string]*listingCache)}
}

func (r *Registry) cache(root string) *listingCache {
	r.mu.RLock()
	c, ok := r.caches[root]
	r.mu.RUnlock()
	if ok {
		return c
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c, ok := r.caches[root]; ok {
		return c
	}
	c = newListingCache()
	r.caches[root] = c
	return c
}

// Open returns a shelf for root. A shelf is opened per task; there may be many
// with the same root.
func (r *Registry) Open(root string) *Shelf {
	root = filepath.Clean(root)
	return &Shelf{root: root, names: &speller{root: root, cache: r.cache(root)}}
}

// speller answers in which spelling a path is stored.
type speller struct {
	root  string
	cache *listingCache
	mut   sync.Mutex
}

// spelling returns name as it is stored. It fails with an os.ErrNotExist error
// if it is not.
func (s *speller) spelling(name string) (string, error) {
	out := "."
	if name == out {
		return out, nil
	}
	for _, part := range strings.Split(filepath.ToSlash(name), "/") {
		ls := s.fetch(out)
		if ls.err != nil {
			return "", ls.err
		}
		if !ls.exact[part] {
			stored, ok := ls.folded[strings.ToLower(part)]
			if !ok {
				return "", &os.PathError{Op: "spelling", Path: name, Err: os.ErrNotExist}
			}
			part = stored
		}
		out = filepath.Join(out, part)
	}
	return out, nil
}

// fetch returns the listing of dir from the cache, or reads the directory if
// there is none or it is too old.
func (s *speller) fetch(dir string) *listing {
	s.mut.Lock()
	defer s.mut.Unlock()
	ls, ok := s.cache.Get(dir)
	if !ok || ls.expires.Before(time.Now()) {
		ls = readListing(filepath.Join(s.root, dir))
		s.cache.Add(dir, ls)
	}
	return ls
}

// forget drops all listings. It is called after each change below root.
func (s *speller) forget() {
	s.mut.Lock()
	defer s.mut.Unlock()
	s.cache.Purge()
}

// Shelf is a directory tree in which the spelling of names is checked.
type Shelf struct {
	root  string
	names *speller
}

// check fails if name exists, but is spelled differently. This is meant for
// the names a user types: the tree can change at any time.
func (s *Shelf) check(name string) error {
	name = filepath.Clean(name)
	stored, err := s.names.spelling(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if stored != name {
		return ErrSpelling
	}
	return nil
}

// ReadFile returns the content of name.
func (s *Shelf) ReadFile(name string) ([]byte, error) {
	if err := s.check(name); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(s.root, name))
}

// WriteFile creates or replaces name.
func (s *Shelf) WriteFile(name string, data []byte) error {
	if err := s.check(name); err != nil {
		return err
	}
	err := os.WriteFile(filepath.Join(s.root, name), data, 0o644)
	s.names.forget()
	return err
}

// Rename moves oldName to newName. It may be used to change the spelling.
func (s *Shelf) Rename(oldName, newName string) error {
	if err := s.check(oldName); err != nil {
		return err
	}
	err := os.Rename(filepath.Join(s.root, oldName), filepath.Join(s.root, newName))
	s.names.forget()
	return err
}
