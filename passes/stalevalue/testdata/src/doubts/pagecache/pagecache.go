// Package pagecache keeps some pages.
package pagecache

import "sync"

// A Cache has the pages that were added last.
type Cache struct {
	mu    sync.Mutex
	pages map[string]string
	order []string
}

// Get returns a page.
func (c *Cache) Get(k string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.pages[k]
	return p, ok
}

// Add adds a page and forgets the oldest.
func (c *Cache) Add(k, page string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages == nil {
		c.pages = make(map[string]string)
	}
	c.pages[k] = page
	c.order = append(c.order, k)
	if len(c.order) > 100 {
		c.removeOldest()
	}
}

func (c *Cache) removeOldest() {
	delete(c.pages, c.order[0])
	c.order = c.order[1:]
}

// A Register keeps all that is put in.
type Register struct {
	mu    sync.Mutex
	names map[string]string
}

// Get returns an entry.
func (r *Register) Get(k string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.names[k]
	return n, ok
}

// Put puts an entry in.
func (r *Register) Put(k, n string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.names == nil {
		r.names = make(map[string]string)
	}
	r.names[k] = n
}

// Remove removes an entry.
func (r *Register) Remove(k string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.names, k)
}
