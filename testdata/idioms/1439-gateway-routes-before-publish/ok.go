package a

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// routes maps path prefixes to backends. It carries its own lock because
// the hit counts change while it is in use.
type routes struct {
	mu       sync.RWMutex
	backends map[string]string
	longest  int
	hits     map[string]int
}

func newRoutes() *routes {
	return &routes{backends: make(map[string]string), hits: make(map[string]int)}
}

func (t *routes) has(prefix string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	_, ok := t.backends[prefix]
	return ok
}

func (t *routes) longestPrefix() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.longest
}

func (t *routes) setLongest(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.longest = n
}

func (t *routes) set(prefix, backend string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.backends[prefix] = backend
}

func (t *routes) match(path string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := min(len(path), t.longest); n > 0; n-- {
		if b, ok := t.backends[path[:n]]; ok {
			t.hits[path[:n]]++
			return b, true
		}
	}
	return "", false
}

// Source reads the route definitions, one "prefix backend" a line.
type Source interface {
	Read(ctx context.Context) (string, error)
}

// Gateway forwards requests by prefix.
type Gateway struct {
	src  Source
	live atomic.Pointer[routes]
}

// NewGateway loads the routes and keeps them up to date until ctx ends.
func NewGateway(ctx context.Context, src Source) (*Gateway, error) {
	g := &Gateway{src: src}
	if err := g.load(ctx); err != nil {
		return nil, err
	}
	go g.watch(ctx)
	return g, nil
}

func (g *Gateway) load(ctx context.Context) error {
	text, err := g.src.Read(ctx)
	if err != nil {
		return err
	}
	t := newRoutes()
	for line := range strings.Lines(text) {
		prefix, backend, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		if t.has(prefix) {
			return fmt.Errorf("routes: %q is given twice", prefix)
		}
		t.set(prefix, backend)
		if len(prefix) > t.longestPrefix() {
			t.setLongest(len(prefix))
		}
	}
	g.live.Store(t)
	return nil
}

func (g *Gateway) watch(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := g.load(ctx); err != nil {
				log.Printf("keeping the old routes: %v", err)
			}
		}
	}
}

func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	backend, ok := g.live.Load().match(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	http.Redirect(w, r, backend+r.URL.Path, http.StatusTemporaryRedirect)
}
