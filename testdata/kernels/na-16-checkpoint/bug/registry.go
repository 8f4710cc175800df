// Package checkpoint remembers how far each log file has been shipped.
package checkpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Store persists offsets; files that a call does not name keep theirs.
type Store interface {
	Load() (map[string]int64, error)
	Save(changed map[string]int64) error
}

// FileStore keeps one small file for each log file in a directory.
type FileStore struct{ Dir string }

type record struct {
	Path   string `json:"path"`
	Offset int64  `json:"offset"`
}

func (s FileStore) name(path string) string {
	return filepath.Join(s.Dir, fmt.Sprintf("%x.json", path))
}

// Save implements Store.
func (s FileStore) Save(changed map[string]int64) error {
	for path, off := range changed {
		b, err := json.Marshal(record{path, off})
		if err != nil {
			return err
		}
		tmp := s.name(path) + ".tmp"
		if err := os.WriteFile(tmp, b, 0o600); err != nil {
			return err
		}
		if err := os.Rename(tmp, s.name(path)); err != nil {
			return err
		}
	}
	return nil
}

// Load implements Store.
func (s FileStore) Load() (map[string]int64, error) {
	names, err := filepath.Glob(filepath.Join(s.Dir, "*.json"))
	if err != nil {
		return nil, err
	}
	out := make(map[string]int64, len(names))
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			return nil, err
		}
		var r record
		if err := json.Unmarshal(b, &r); err != nil {
			return nil, fmt.Errorf("checkpoint %s: %w", n, err)
		}
		out[r.Path] = r.Offset
	}
	return out, nil
}

// Registry is told by the shippers how far they have come.
type Registry struct {
	store Store
	done  chan struct{}

	mu      sync.Mutex
	offsets map[string]int64
	dirty   map[string]struct{}
}

// Open loads the offsets and saves changes every period until ctx ends.
func Open(ctx context.Context, s Store, period time.Duration) (*Registry, error) {
	offs, err := s.Load()
	if err != nil {
		return nil, err
	}
	r := &Registry{store: s, done: make(chan struct{}), offsets: offs, dirty: make(map[string]struct{})}
	go r.run(ctx, period)
	return r, nil
}

// Offset returns where to resume path.
func (r *Registry) Offset(path string) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.offsets[path]
}

// Advance notes that path has been shipped up to off.
func (r *Registry) Advance(path string, off int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if off <= r.offsets[path] {
		return
	}
	r.offsets[path] = off
	r.dirty[path] = struct{}{}
}

// Done is closed after the last save.
func (r *Registry) Done() <-chan struct{} { return r.done }

func (r *Registry) run(ctx context.Context, period time.Duration) {
	defer close(r.done)
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			r.flush()
		case <-ctx.Done():
			r.flush()
			return
		}
	}
}

func (r *Registry) flush() {
	snap := r.snapshot()
	if len(snap) == 0 {
		return
	}
	if err := r.store.Save(snap); err != nil {
		slog.Error("checkpoint not saved", "files", len(snap), "err", err)
		return
	}
	r.clearDirty()
}

func (r *Registry) snapshot() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	snap := make(map[string]int64, len(r.dirty))
	for path := range r.dirty {
		snap[path] = r.offsets[path]
	}
	return snap
}

func (r *Registry) clearDirty() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.dirty)
}
