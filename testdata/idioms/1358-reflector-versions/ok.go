package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var errExpired = errors.New("resource version expired")

// ListerWatcher reads from the server.
type ListerWatcher interface {
	List(ctx context.Context, resourceVersion string) (items []string, rv string, err error)
	Watch(ctx context.Context, resourceVersion string) (<-chan WatchEvent, error)
}

// WatchEvent is a change.
type WatchEvent struct {
	Item            string
	ResourceVersion string
	Err             error
}

// Store is filled by the reflector.
type Store interface {
	Replace(items []string)
	Update(item string)
}

// Reflector watches a specified resource and causes all changes to be reflected in the given store.
type Reflector struct {
	store Store
	lw    ListerWatcher

	// lastSyncResourceVersion is the resource version token last observed when doing a sync with the
	// underlying store. It is thread safe, but not synchronized with the underlying store.
	lastSyncResourceVersion string
	// isLastSyncResourceVersionUnavailable is true if the previous list or watch request with
	// lastSyncResourceVersion failed with an "expired" error.
	isLastSyncResourceVersionUnavailable bool
	// lastSyncResourceVersionMutex guards read/write access to lastSyncResourceVersion
	lastSyncResourceVersionMutex sync.RWMutex
}

// NewReflector creates a new Reflector. Run must be called once.
func NewReflector(lw ListerWatcher, store Store) *Reflector {
	return &Reflector{lw: lw, store: store}
}

// Run repeatedly uses the reflector's ListAndWatch.
func (r *Reflector) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := r.ListAndWatch(ctx); err != nil {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	}
}

// ListAndWatch first lists all items and gets the resource version at the moment of call, and then watches.
func (r *Reflector) ListAndWatch(ctx context.Context) error {
	if err := r.list(ctx); err != nil {
		return err
	}
	for {
		w, err := r.lw.Watch(ctx, r.LastSyncResourceVersion())
		if err != nil {
			return err
		}
		for ev := range w {
			if errors.Is(ev.Err, errExpired) {
				r.setIsLastSyncResourceVersionUnavailable(true)
			}
			if ev.Err != nil {
				return ev.Err
			}
			r.store.Update(ev.Item)
			r.setLastSyncResourceVersion(ev.ResourceVersion)
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

func (r *Reflector) list(ctx context.Context) error {
	items, rv, err := r.lw.List(ctx, r.relistResourceVersion())
	if errors.Is(err, errExpired) {
		r.setIsLastSyncResourceVersionUnavailable(true)
		// Retry immediately if the resource version used to list is unavailable.
		items, rv, err = r.lw.List(ctx, r.relistResourceVersion())
	}
	if err != nil {
		return fmt.Errorf("failed to list: %w", err)
	}
	r.setIsLastSyncResourceVersionUnavailable(false) // list was successful
	r.store.Replace(items)
	r.setLastSyncResourceVersion(rv)
	return nil
}

// LastSyncResourceVersion is the resource version observed when last sync with the underlying store
func (r *Reflector) LastSyncResourceVersion() string {
	r.lastSyncResourceVersionMutex.RLock()
	defer r.lastSyncResourceVersionMutex.RUnlock()
	return r.lastSyncResourceVersion
}

func (r *Reflector) setLastSyncResourceVersion(v string) {
	r.lastSyncResourceVersionMutex.Lock()
	defer r.lastSyncResourceVersionMutex.Unlock()
	r.lastSyncResourceVersion = v
}

// relistResourceVersion determines the resource version the reflector should list or relist from.
func (r *Reflector) relistResourceVersion() string {
	r.lastSyncResourceVersionMutex.RLock()
	defer r.lastSyncResourceVersionMutex.RUnlock()

	if r.isLastSyncResourceVersionUnavailable {
		return ""
	}
	if r.lastSyncResourceVersion == "" {
		return "0"
	}
	return r.lastSyncResourceVersion
}

func (r *Reflector) setIsLastSyncResourceVersionUnavailable(isUnavailable bool) {
	r.lastSyncResourceVersionMutex.Lock()
	defer r.lastSyncResourceVersionMutex.Unlock()
	r.isLastSyncResourceVersionUnavailable = isUnavailable
}
