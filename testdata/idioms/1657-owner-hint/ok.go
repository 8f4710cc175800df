package a

import (
	"context"
	"errors"
	"sync"
)

// ErrNotOwner is what a server answers, without any effect, when it does not
// own the key.
var ErrNotOwner = errors.New("range: not the owner")

// Cluster is the network.
type Cluster interface {
	// Lookup asks the meta range for the address of the owner.
	Lookup(ctx context.Context, key string) (string, error)
	// Call runs the request on the server. The server checks that it owns key.
	Call(ctx context.Context, addr, key, req string) (string, error)
}

// Router sends requests to the owners of keys.
type Router struct {
	cluster Cluster

	mu      sync.Mutex
	hints   map[string]string
	retries int
}

// NewRouter returns a router without hints.
func NewRouter(c Cluster) *Router {
	return &Router{cluster: c, hints: make(map[string]string)}
}

// Do sends the request to the owner of key.
func (r *Router) Do(ctx context.Context, key, req string) (string, error) {
	for range 8 {
		addr, err := r.locate(ctx, key)
		if err != nil {
			return "", err
		}
		resp, err := r.cluster.Call(ctx, addr, key, req)
		if !errors.Is(err, ErrNotOwner) {
			return resp, err
		}
		r.evict(key, addr)
	}
	return "", ErrNotOwner
}

// Retries reports how many hints were wrong.
func (r *Router) Retries() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.retries
}

func (r *Router) locate(ctx context.Context, key string) (string, error) {
	r.mu.Lock()
	addr, ok := r.hints[key]
	r.mu.Unlock()
	if ok {
		return addr, nil
	}
	addr, err := r.cluster.Lookup(ctx, key)
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hints[key] = addr
	return addr, nil
}

func (r *Router) evict(key, addr string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.retries++
	if r.hints[key] == addr {
		delete(r.hints, key)
	}
}
