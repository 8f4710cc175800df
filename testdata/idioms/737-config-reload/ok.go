package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Route says where requests of a host go.
type Route struct {
	Backend string        `json:"backend"`
	Timeout time.Duration `json:"timeout"`
	Blocked bool          `json:"blocked"`
}

// Config is one version of the configuration. It is not changed once stored.
type Config struct {
	Version uint64           `json:"-"`
	Default string           `json:"default"`
	Routes  map[string]Route `json:"routes"`
}

func (c *Config) route(host string) (Route, bool) {
	r, ok := c.Routes[host]
	if !ok && c.Default != "" {
		return Route{Backend: c.Default, Timeout: 30 * time.Second}, true
	}
	return r, ok
}

// Forwarder sends a request to a backend.
type Forwarder interface {
	Forward(ctx context.Context, backend string, w http.ResponseWriter, r *http.Request) error
}

// Edge routes requests.
type Edge struct {
	path string
	fwd  Forwarder

	reload sync.Mutex
	config atomic.Pointer[Config]
}

// New reads the configuration file and returns an edge.
func New(path string, f Forwarder) (*Edge, error) {
	e := &Edge{path: path, fwd: f}
	e.config.Store(&Config{})
	if err := e.Reload(); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *Edge) current() *Config { return e.config.Load() }

// Reload reads the file again.
func (e *Edge) Reload() error {
	e.reload.Lock()
	defer e.reload.Unlock()
	raw, err := os.ReadFile(e.path)
	if err != nil {
		return fmt.Errorf("edge: read config: %w", err)
	}
	next := new(Config)
	if err := json.Unmarshal(raw, next); err != nil {
		return fmt.Errorf("edge: parse %s: %w", e.path, err)
	}
	return e.publish(next)
}

// Block blocks a host, or admits it again, until the next reload.
func (e *Edge) Block(host string, blocked bool) error {
	e.reload.Lock()
	defer e.reload.Unlock()
	cur := e.current()
	r, ok := cur.route(host)
	if !ok {
		return fmt.Errorf("edge: no route for %s", host)
	}
	r.Blocked = blocked
	next := &Config{Default: cur.Default, Routes: maps.Clone(cur.Routes)}
	if next.Routes == nil {
		next.Routes = make(map[string]Route)
	}
	next.Routes[host] = r
	return e.publish(next)
}

func (e *Edge) publish(next *Config) error {
	for host, r := range next.Routes {
		if r.Backend == "" {
			return fmt.Errorf("edge: route %s has no backend", host)
		}
	}
	next.Version = e.current().Version + 1
	e.config.Store(next)
	slog.Info("edge: configuration", "version", next.Version, "routes", len(next.Routes))
	return nil
}

// Watch reloads when a signal arrives.
func (e *Edge) Watch(ctx context.Context, hup <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hup:
			if err := e.Reload(); err != nil {
				slog.Error("edge: keeping old configuration", "err", err)
			}
		}
	}
}

// ServeHTTP implements http.Handler.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	cfg := e.current()
	route, ok := cfg.route(r.Host)
	switch {
	case !ok:
		http.NotFound(w, r)
		return
	case route.Blocked:
		http.Error(w, "blocked", http.StatusForbidden)
		return
	}
	ctx := r.Context()
	if route.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, route.Timeout)
		defer cancel()
	}
	if err := e.fwd.Forward(ctx, route.Backend, w, r); err != nil {
		slog.Warn("edge: forward", "host", r.Host, "version", cfg.Version, "err", err)
	}
}
