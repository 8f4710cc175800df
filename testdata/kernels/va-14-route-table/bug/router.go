package router

import (
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
)

type routes struct {
	exact    map[string]http.HandlerFunc
	revision int
}

type Router struct {
	cur    atomic.Pointer[routes]
	misses atomic.Uint64
}

func New() *Router {
	r := &Router{}
	r.cur.Store(&routes{exact: map[string]http.HandlerFunc{}})
	return r
}

func (r *Router) Handle(path string, h http.HandlerFunc) (revision int) {
	path = "/" + strings.Trim(path, "/")
	old := r.cur.Load()
	next := &routes{
		exact:    maps.Clone(old.exact),
		revision: old.revision + 1,
	}
	next.exact[path] = h
	r.cur.Store(next)
	return next.revision
}

func (r *Router) Remove(path string) bool {
	path = "/" + strings.Trim(path, "/")
	for {
		old := r.cur.Load()
		if _, ok := old.exact[path]; !ok {
			return false
		}
		next := &routes{exact: maps.Clone(old.exact), revision: old.revision + 1}
		delete(next.exact, path)
		if r.cur.CompareAndSwap(old, next) {
			return true
		}
	}
}

func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	h, ok := r.cur.Load().exact["/"+strings.Trim(req.URL.Path, "/")]
	if !ok {
		r.misses.Add(1)
		http.NotFound(w, req)
		return
	}
	h(w, req)
}

func (r *Router) Misses() uint64 { return r.misses.Load() }
