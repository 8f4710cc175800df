// Package router holds the routes of an edge proxy. Providers (container
// labels, a key-value store, files) push what they know; requests are matched
// against an immutable table.
package router

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Route sends a host and path prefix to a backend.
type Route struct {
	Host    string
	Prefix  string
	Backend *url.URL
}

// Message is the complete set of routes of one provider.
type Message struct {
	Provider string
	Routes   []Route
}

// Provider watches a source until ctx is done.
type Provider interface {
	Name() string
	Watch(ctx context.Context, push func(Message) error) error
}

// table is never changed after it was built.
type table struct {
	sources map[string][]Route
	hosts   map[string][]Route
	serial  uint64
}

func build(sources map[string][]Route, serial uint64) *table {
	t := &table{sources: sources, hosts: make(map[string][]Route), serial: serial}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		for _, r := range sources[name] {
			t.hosts[r.Host] = append(t.hosts[r.Host], r)
		}
	}
	for _, rs := range t.hosts {
		slices.SortStableFunc(rs, func(a, b Route) int { return len(b.Prefix) - len(a.Prefix) })
	}
	return t
}

func (t *table) match(host, path string) (Route, bool) {
	for _, r := range t.hosts[host] {
		if strings.HasPrefix(path, r.Prefix) {
			return r, true
		}
	}
	return Route{}, false
}

// Router is an http.Handler.
type Router struct {
	current atomic.Pointer[table]
	log     *slog.Logger
}

// New returns a router without routes.
func New(log *slog.Logger) *Router {
	r := &Router{log: log}
	r.current.Store(build(nil, 0))
	return r
}

// Run starts the providers and waits for them.
func (r *Router) Run(ctx context.Context, providers ...Provider) {
	var wg sync.WaitGroup
	for _, p := range providers {
		wg.Go(func() {
			if err := p.Watch(ctx, r.push); err != nil && !errors.Is(err, context.Canceled) {
				r.log.Error("provider stopped", "provider", p.Name(), "err", err)
			}
		})
	}
	wg.Wait()
}

func (r *Router) push(m Message) error {
	for i, rt := range m.Routes {
		if rt.Backend == nil || rt.Host == "" {
			return fmt.Errorf("router: route %d of %s is incomplete", i, m.Provider)
		}
	}
	t := r.apply(func(sources map[string][]Route) {
		if len(m.Routes) == 0 {
			delete(sources, m.Provider)
			return
		}
		sources[m.Provider] = slices.Clone(m.Routes)
	})
	r.log.Info("routes updated", "provider", m.Provider, "serial", t.serial)
	return nil
}

// apply derives a table from the current one and makes it current.
func (r *Router) apply(edit func(map[string][]Route)) *table {
	old := r.current.Load()
	sources := make(map[string][]Route, len(old.sources)+1)
	maps.Copy(sources, old.sources)
	edit(sources)
	next := build(sources, old.serial+1)
	r.current.Store(next)
	return next
}

// Serial returns the number of the table in use.
func (r *Router) Serial() uint64 { return r.current.Load().serial }

func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	rt, ok := r.current.Load().match(req.Host, req.URL.Path)
	if !ok {
		http.NotFound(w, req)
		return
	}
	httputil.NewSingleHostReverseProxy(rt.Backend).ServeHTTP(w, req)
}
