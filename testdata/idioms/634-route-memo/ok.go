// Package routing matches requests against routes that are given as globs.
package routing

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrPattern means that a pattern cannot be used.
var ErrPattern = errors.New("routing: bad pattern")

var compiledGlobs sync.Map // pattern -> *regexp.Regexp

func translate(glob string) string {
	var b strings.Builder
	b.WriteByte('^')
	for i := 0; i < len(glob); i++ {
		switch {
		case strings.HasPrefix(glob[i:], "**"):
			b.WriteString(".*")
			i++
		case glob[i] == '*':
			b.WriteString("[^/]*")
		default:
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		}
	}
	b.WriteByte('$')
	return b.String()
}

func compiled(glob string) (*regexp.Regexp, error) {
	if re, ok := compiledGlobs.Load(glob); ok {
		return re.(*regexp.Regexp), nil
	}
	if glob == "" || glob[0] != '/' {
		return nil, fmt.Errorf("%w: %q", ErrPattern, glob)
	}
	re, err := regexp.Compile(translate(glob))
	if err != nil {
		return nil, fmt.Errorf("%w: %q: %v", ErrPattern, glob, err)
	}
	compiledGlobs.Store(glob, re)
	return re, nil
}

// Route sends the paths of a glob to a handler.
type Route struct {
	Glob    string
	Handler http.Handler
}

// Router is a list of routes; the first that matches wins.
type Router struct {
	routes   atomic.Pointer[[]Route]
	fallback http.Handler
	unknown  atomic.Uint64
}

// NewRouter returns a router without routes.
func NewRouter(fallback http.Handler) *Router {
	if fallback == nil {
		fallback = http.NotFoundHandler()
	}
	r := &Router{fallback: fallback}
	r.routes.Store(new([]Route))
	return r
}

// Replace replaces all routes, or none if one of them is bad.
func (r *Router) Replace(routes []Route) error {
	var errs []error
	for _, rt := range routes {
		if _, err := compiled(rt.Glob); err != nil {
			errs = append(errs, err)
		}
		if rt.Handler == nil {
			errs = append(errs, fmt.Errorf("routing: %s has no handler", rt.Glob))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	next := append([]Route(nil), routes...)
	r.routes.Store(&next)
	return nil
}

func (r *Router) match(path string) http.Handler {
	for _, rt := range *r.routes.Load() {
		re, err := compiled(rt.Glob)
		if err == nil && re.MatchString(path) {
			return rt.Handler
		}
	}
	r.unknown.Add(1)
	return r.fallback
}

// ServeHTTP implements http.Handler.
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.match(req.URL.Path).ServeHTTP(w, req)
}

// Unknown returns how many requests no route matched.
func (r *Router) Unknown() uint64 { return r.unknown.Load() }
