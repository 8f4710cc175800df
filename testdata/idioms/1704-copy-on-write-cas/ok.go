package a

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
)

// ErrExists is returned by Add for a prefix that has a target.
var ErrExists = errors.New("gateway: prefix exists")

// ErrUnknown is returned by Remove for a prefix without a target.
var ErrUnknown = errors.New("gateway: prefix unknown")

// table is never changed once it has been published.
type table struct {
	targets map[string]string
	edits   int
}

func (t *table) clone() *table {
	return &table{targets: maps.Clone(t.targets), edits: t.edits + 1}
}

// Router maps path prefixes to upstream services.
type Router struct {
	cur atomic.Pointer[table]
}

// NewRouter returns a router without routes.
func NewRouter() *Router {
	r := &Router{}
	r.cur.Store(&table{targets: map[string]string{}})
	return r
}

// Add routes a prefix to a target.
func (r *Router) Add(prefix, target string) error {
	if !strings.HasPrefix(prefix, "/") {
		return fmt.Errorf("gateway: prefix %q is not absolute", prefix)
	}
	for {
		old := r.cur.Load()
		if _, ok := old.targets[prefix]; ok {
			return ErrExists
		}
		next := old.clone()
		next.targets[prefix] = target
		if r.cur.CompareAndSwap(old, next) {
			return nil
		}
	}
}

// Remove drops a prefix.
func (r *Router) Remove(prefix string) error {
	for {
		old := r.cur.Load()
		if _, ok := old.targets[prefix]; !ok {
			return ErrUnknown
		}
		next := old.clone()
		delete(next.targets, prefix)
		if r.cur.CompareAndSwap(old, next) {
			return nil
		}
	}
}

// Match returns the target of the longest prefix of path.
func (r *Router) Match(path string) (string, bool) {
	best, target := -1, ""
	for p, t := range r.cur.Load().targets {
		if strings.HasPrefix(path, p) && len(p) > best {
			best, target = len(p), t
		}
	}
	return target, best >= 0
}

// Edits returns how often the table was changed.
func (r *Router) Edits() int { return r.cur.Load().edits }
