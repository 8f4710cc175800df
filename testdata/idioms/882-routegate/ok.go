// Package routes tells which plugin handles a request of the plugin host. The
// routes come from a manifest that is fetched at start and can be reloaded.
package routes

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Route maps a path prefix to a plugin.
type Route struct {
	Prefix string
	Plugin string
}

// Manifest is a set of routes. It is not modified once it is in use.
type Manifest struct {
	Version string
	Routes  []Route
}

// find returns the plugin for path, by the longest matching prefix.
func (m *Manifest) find(path string) (string, bool) {
	var best Route
	for _, r := range m.Routes {
		if strings.HasPrefix(path, r.Prefix) && len(r.Prefix) >= len(best.Prefix) {
			best = r
		}
	}
	return best.Plugin, best.Plugin != ""
}

// Source provides the manifest.
type Source interface {
	Fetch(ctx context.Context) (*Manifest, error)
}

// Gate routes requests as soon as there is a manifest. It is safe for
// concurrent use.
type Gate struct {
	source  Source
	plugins map[string]http.Handler // fixed
	log     *slog.Logger

	reload  sync.Mutex // one fetch at a time
	current atomic.Pointer[Manifest]
	ready   atomic.Bool
}

// NewGate returns a gate in front of the given plugins.
func NewGate(src Source, plugins map[string]http.Handler, log *slog.Logger) *Gate {
	return &Gate{source: src, plugins: plugins, log: log}
}

// Reload fetches the manifest. The gate keeps the one it has on an error.
func (g *Gate) Reload(ctx context.Context) error {
	g.reload.Lock()
	defer g.reload.Unlock()
	m, err := g.source.Fetch(ctx)
	if err != nil {
		return fmt.Errorf("routes: fetch: %w", err)
	}
	g.current.Store(m)
	g.ready.Store(true)
	return nil
}

// Run reloads every interval until ctx ends, and more often before the first
// success.
func (g *Gate) Run(ctx context.Context, interval time.Duration) {
	for ctx.Err() == nil {
		if err := g.Reload(ctx); err != nil {
			g.log.Warn("reload", "err", err)
		}
		wait := interval
		if !g.ready.Load() {
			wait = min(time.Second, interval)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// ServeHTTP passes the request to the plugin of its route.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.ready.Load() {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "starting", http.StatusServiceUnavailable)
		return
	}
	m := g.current.Load()
	name, ok := m.find(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	h, ok := g.plugins[name]
	if !ok {
		http.Error(w, "plugin "+name+" is not installed", http.StatusBadGateway)
		return
	}
	w.Header().Set("X-Routes", m.Version)
	h.ServeHTTP(w, r)
}

// Health answers the readiness probe.
func (g *Gate) Health(w http.ResponseWriter, r *http.Request) {
	if !g.ready.Load() {
		http.Error(w, "starting", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "routes", g.current.Load().Version)
}

// ReloadHandler lets an operator reload at once.
func (g *Gate) ReloadHandler(w http.ResponseWriter, r *http.Request) {
	if err := g.Reload(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
