// Package dispatch spreads keys over the backends known to the process.
package dispatch

import (
	"errors"
	"hash/fnv"
	"slices"
	"sync"
)

var ErrNone = errors.New("dispatch: no backend")

var (
	mu       sync.Mutex
	backends []string
)

// Add makes addr eligible.
func Add(addr string) {
	mu.Lock()
	defer mu.Unlock()
	if !slices.Contains(backends, addr) {
		backends = append(backends, addr)
	}
}

// Remove is called by the health checks when addr stops answering.
func Remove(addr string) {
	mu.Lock()
	defer mu.Unlock()
	if i := slices.Index(backends, addr); i >= 0 {
		backends = slices.Delete(backends, i, i+1)
	}
}

// Count returns how many backends are eligible.
func Count() int {
	mu.Lock()
	defer mu.Unlock()
	return len(backends)
}

// All lists the eligible backends.
func All() []string {
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(backends)
}

func at(i int) string {
	mu.Lock()
	defer mu.Unlock()
	return backends[i]
}

// Pick returns the backend responsible for key.
func Pick(key string) (string, error) {
	h := fnv.New32a()
	h.Write([]byte(key))
	n := Count()
	if n == 0 {
		return "", ErrNone
	}
	return at(int(h.Sum32() % uint32(n))), nil
}
