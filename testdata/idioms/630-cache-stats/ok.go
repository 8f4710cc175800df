// Package tmplcache caches rendered templates and reports how well it works.
package tmplcache

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Cache keeps rendered pages.
type Cache struct {
	tmpl *template.Template
	max  int

	mu    sync.Mutex
	pages map[string][]byte

	hits   atomic.Uint64
	misses atomic.Uint64
	bytes  atomic.Int64
}

// New returns a cache over a set of templates.
func New(tmpl *template.Template, maxPages int) *Cache {
	return &Cache{tmpl: tmpl, max: maxPages, pages: make(map[string][]byte)}
}

func pageKey(name string, lang string) string { return name + "\x00" + lang }

// Render returns a page in a language. Pages depend on nothing else.
func (c *Cache) Render(name, lang string) ([]byte, error) {
	key := pageKey(name, lang)
	c.mu.Lock()
	page, ok := c.pages[key]
	c.mu.Unlock()
	if ok {
		c.hits.Add(1)
		return page, nil
	}
	c.misses.Add(1)

	var buf bytes.Buffer
	if err := c.tmpl.ExecuteTemplate(&buf, name, map[string]string{"Lang": lang}); err != nil {
		return nil, fmt.Errorf("tmplcache: %s: %w", name, err)
	}
	page = buf.Bytes()

	c.mu.Lock()
	defer c.mu.Unlock()
	if have, ok := c.pages[key]; ok {
		return have, nil
	}
	if len(c.pages) < c.max {
		c.pages[key] = page
		c.bytes.Add(int64(len(page)))
	}
	return page, nil
}

// Ratio returns the share of requests that were hits.
func (c *Cache) Ratio() float64 {
	hits := c.hits.Load()
	misses := c.misses.Load()
	if hits+misses == 0 {
		return 0
	}
	return float64(hits) / float64(hits+misses)
}

// Pages returns the number of cached pages.
func (c *Cache) Pages() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pages)
}

// LogLoop logs a line at an interval.
func (c *Cache) LogLoop(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			log.Printf("tmplcache: pages=%d bytes=%d hits=%d ratio=%.3f",
				c.Pages(), c.bytes.Load(), c.hits.Load(), c.Ratio())
		}
	}
}
