// Package routes is the routing table of a reverse proxy.
package routes

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Rule sends a path prefix to a target.
type Rule struct {
	Prefix string `json:"prefix"`
	Target string `json:"target"`
}

type table struct {
	version  uint64
	rules    []Rule // longest prefix first
	handlers []http.Handler
}

func (t *table) match(path string) int {
	return slices.IndexFunc(t.rules, func(r Rule) bool {
		return strings.HasPrefix(path, r.Prefix)
	})
}

// Router dispatches requests by path prefix.
type Router struct {
	dial func(target string) http.Handler

	admin   sync.Mutex
	current atomic.Pointer[table]
}

// NewRouter returns a router without rules. dial makes the handler of a target.
func NewRouter(dial func(target string) http.Handler) *Router {
	r := &Router{dial: dial}
	r.current.Store(new(table))
	return r
}

// ServeHTTP implements http.Handler.
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	t := r.current.Load()
	i := t.match(req.URL.Path)
	if i < 0 {
		http.NotFound(w, req)
		return
	}
	t.handlers[i].ServeHTTP(w, req)
}

// Set adds a rule or changes its target and returns the new table version.
func (r *Router) Set(rule Rule) uint64 {
	r.admin.Lock()
	defer r.admin.Unlock()
	rules := slices.Clone(r.current.Load().rules)
	if i := r.find(rule.Prefix); i >= 0 {
		rules[i] = rule
	} else {
		rules = append(rules, rule)
	}
	return r.publish(rules)
}

// Delete removes the rule of a prefix.
func (r *Router) Delete(prefix string) bool {
	r.admin.Lock()
	defer r.admin.Unlock()
	i := r.find(prefix)
	if i < 0 {
		return false
	}
	rules := slices.Clone(r.current.Load().rules)
	r.publish(slices.Delete(rules, i, i+1))
	return true
}

// find returns the position of the rule of a prefix. Callers hold admin.
func (r *Router) find(prefix string) int {
	return slices.IndexFunc(r.current.Load().rules, func(x Rule) bool {
		return x.Prefix == prefix
	})
}

// publish installs a table with the given rules. Callers hold admin.
func (r *Router) publish(rules []Rule) uint64 {
	slices.SortStableFunc(rules, func(a, b Rule) int {
		return len(b.Prefix) - len(a.Prefix)
	})
	next := &table{version: r.current.Load().version + 1, rules: rules}
	for _, rule := range rules {
		next.handlers = append(next.handlers, r.dial(rule.Target))
	}
	r.current.Store(next)
	return next.version
}

// Admin returns the HTTP interface for operators.
func (r *Router) Admin() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /rules", func(w http.ResponseWriter, req *http.Request) {
		var rule Rule
		if err := json.NewDecoder(req.Body).Decode(&rule); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(r.Set(rule))
	})
	mux.HandleFunc("DELETE /rules", func(w http.ResponseWriter, req *http.Request) {
		if !r.Delete(req.URL.Query().Get("prefix")) {
			http.NotFound(w, req)
		}
	})
	mux.HandleFunc("GET /rules", func(w http.ResponseWriter, req *http.Request) {
		_ = json.NewEncoder(w).Encode(r.current.Load().rules)
	})
	return mux
}
