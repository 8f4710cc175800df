// Package registry serves container images: manifests that refer to layers.
package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/atomvet/atomvet/testdata/kernels/yh-12-registry-sweep/fix/blobs"
)

var (
	ErrBlobUnknown     = errors.New("registry: blob unknown")
	ErrManifestUnknown = errors.New("registry: manifest unknown")
)

// Manifest lists the layers of an image.
type Manifest struct {
	Config string
	Layers []string
}

func (m Manifest) blobs() []string {
	return append([]string{m.Config}, m.Layers...)
}

// Registry is safe for concurrent use.
type Registry struct {
	store *blobs.Store
	grace time.Duration

	// sweeping is held shared by pushes and exclusively by a sweep, so that a
	// blob that a push has seen is still there when its manifest is stored.
	sweeping sync.RWMutex

	mu        sync.RWMutex
	manifests map[string]Manifest
}

// New returns a registry. Blobs that no manifest refers to are kept for the
// grace period after their upload, until their manifest arrives.
func New(store *blobs.Store, grace time.Duration) *Registry {
	return &Registry{store: store, grace: grace, manifests: make(map[string]Manifest)}
}

// Push stores a manifest. Clients upload only the layers that the registry
// does not have yet, so layers of older images are often used again.
func (r *Registry) Push(ref string, m Manifest) error {
	r.sweeping.RLock()
	defer r.sweeping.RUnlock()
	for _, d := range m.blobs() {
		if !r.store.Has(d) {
			return fmt.Errorf("%w: %s", ErrBlobUnknown, d)
		}
	}
	r.mu.Lock()
	r.manifests[ref] = m
	r.mu.Unlock()
	return nil
}

// Pull returns the manifest of a reference.
func (r *Registry) Pull(ref string) (Manifest, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	m, ok := r.manifests[ref]
	if !ok {
		return Manifest{}, ErrManifestUnknown
	}
	return m, nil
}

// Untag removes a reference. Its layers go with the next sweep.
func (r *Registry) Untag(ref string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.manifests[ref]; !ok {
		return ErrManifestUnknown
	}
	delete(r.manifests, ref)
	return nil
}

// referenced returns the digests that any manifest needs.
func (r *Registry) referenced() map[string]bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make(map[string]bool)
	for _, m := range r.manifests {
		for _, d := range m.blobs() {
			out[d] = true
		}
	}
	return out
}

// Sweep removes the blobs that are no longer needed and returns how many.
func (r *Registry) Sweep() (int, error) {
	r.sweeping.Lock()
	defer r.sweeping.Unlock()
	before := time.Now().Add(-r.grace)
	live := r.referenced()
	removed := 0
	for _, d := range r.store.Digests() {
		if live[d] {
			continue
		}
		ok, err := r.store.Expire(d, before)
		if err != nil {
			return removed, err
		}
		if ok {
			removed++
		}
	}
	return removed, nil
}

// StartSweeper sweeps in the background until ctx is done.
func (r *Registry) StartSweeper(ctx context.Context, every time.Duration) {
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				n, err := r.Sweep()
				slog.Info("registry: swept", "removed", n, "err", err)
			}
		}
	}()
}
