// Package bug hosts plugins and routes calls to them by name.
package bug

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrExists  = errors.New("host: plugin exists")
	ErrMissing = errors.New("host: no such plugin")
)

// Backend is the process behind a plugin.
type Backend interface {
	Ping(ctx context.Context) error
	Call(ctx context.Context, method string, arg []byte) ([]byte, error)
	Kill()
}

// instance is one start of a plugin.
type instance struct {
	name    string
	backend Backend
	since   time.Time
}

// routes is never changed once it is in the host.
type routes struct {
	byName map[string]*instance
}

func (r *routes) clone() *routes {
	return &routes{byName: maps.Clone(r.byName)}
}

// Host keeps the routes as a pointer that calls load without a lock.
type Host struct {
	current atomic.Pointer[routes]
	edit    sync.Mutex
	retired atomic.Int64
}

func NewHost(ctx context.Context, every time.Duration) *Host {
	h := &Host{}
	h.current.Store(&routes{byName: make(map[string]*instance)})
	go h.watch(ctx, every)
	return h
}

func (h *Host) install(r *routes) {
	h.current.Store(r)
}

// Register adds a plugin.
func (h *Host) Register(name string, b Backend) error {
	h.edit.Lock()
	defer h.edit.Unlock()
	next := h.current.Load().clone()
	if _, ok := next.byName[name]; ok {
		return fmt.Errorf("%w: %s", ErrExists, name)
	}
	next.byName[name] = &instance{name: name, backend: b, since: time.Now()}
	h.install(next)
	return nil
}

// Unregister removes a plugin and ends its process.
func (h *Host) Unregister(name string) error {
	h.edit.Lock()
	defer h.edit.Unlock()
	next := h.current.Load().clone()
	in, ok := next.byName[name]
	if !ok {
		return fmt.Errorf("%w: %s", ErrMissing, name)
	}
	delete(next.byName, name)
	h.install(next)
	in.backend.Kill()
	return nil
}

// Call forwards a call to a plugin.
func (h *Host) Call(ctx context.Context, name, method string, arg []byte) ([]byte, error) {
	in, ok := h.current.Load().byName[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrMissing, name)
	}
	return in.backend.Call(ctx, method, arg)
}

// Names lists the plugins and how long they have been up.
func (h *Host) Names() map[string]time.Duration {
	out := make(map[string]time.Duration)
	for name, in := range h.current.Load().byName {
		out[name] = time.Since(in.since)
	}
	return out
}

func (h *Host) watch(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			h.retireDead(ctx, every/2)
		case <-ctx.Done():
			return
		}
	}
}

func (h *Host) alive(ctx context.Context, in *instance, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return in.backend.Ping(ctx) == nil
}

// retireDead drops the plugins that do not answer any more.
func (h *Host) retireDead(ctx context.Context, limit time.Duration) {
	next := h.current.Load().clone()
	var dead []*instance
	for name, in := range next.byName {
		if !h.alive(ctx, in, limit) && ctx.Err() == nil {
			dead = append(dead, in)
			delete(next.byName, name)
		}
	}
	if len(dead) == 0 {
		return
	}
	h.install(next)
	for _, in := range dead {
		in.backend.Kill()
	}
	h.retired.Add(int64(len(dead)))
}
