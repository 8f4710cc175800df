package idiom

import (
	"sort"
	"sync"
	"sync/atomic"
)

// A result is never changed once it is made.
type matches struct{ names []string }

// A Directory caches what it has found.
type Directory struct {
	misses atomic.Int64

	mu    sync.RWMutex
	names map[string][]string
	cache map[string]*matches
}

func (d *Directory) Add(group, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names[group] = append(d.names[group], name)
	delete(d.cache, group)
}

func (d *Directory) cached(group string) *matches {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.cache[group]
}

// Match computes what it puts in from what is there.
func (d *Directory) Match(group string) *matches {
	if m := d.cached(group); m != nil {
		return m
	}
	d.misses.Add(1)
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.find(group)
	d.cache[group] = m
	return m
}

func (d *Directory) find(group string) *matches {
	var out []string
	out = append(out, d.names[group]...)
	sort.Strings(out)
	return &matches{names: out}
}
