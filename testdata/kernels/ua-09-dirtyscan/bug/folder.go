// Package mirror copies a directory tree to a remote store whenever the file
// watcher reports changes.
package mirror

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Remote stores files by path.
type Remote interface {
	Put(ctx context.Context, path string, data []byte) error
	Delete(ctx context.Context, path string) error
}

// Folder is one mirrored directory tree.
type Folder struct {
	tree   fs.FS
	remote Remote

	dirty atomic.Bool
	wake  chan struct{}

	syncMu sync.Mutex
	index  map[string][sha256.Size]byte
}

// NewFolder returns a folder that is synchronised completely at first.
func NewFolder(tree fs.FS, remote Remote) *Folder {
	f := &Folder{
		tree:   tree,
		remote: remote,
		wake:   make(chan struct{}, 1),
		index:  make(map[string][sha256.Size]byte),
	}
	f.Changed()
	return f
}

// Changed is called by the watcher after any change below the tree.
func (f *Folder) Changed() {
	f.dirty.Store(true)
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Sync brings the remote up to date. It is cheap if nothing changed.
func (f *Folder) Sync(ctx context.Context) error {
	f.syncMu.Lock()
	defer f.syncMu.Unlock()
	if !f.dirty.Load() {
		return nil
	}
	if err := f.pass(ctx); err != nil {
		return fmt.Errorf("mirror: %w", err)
	}
	f.dirty.Store(false)
	return nil
}

// pass walks the tree once and transfers the differences to the index.
func (f *Folder) pass(ctx context.Context) error {
	seen := make(map[string]bool)
	err := fs.WalkDir(f.tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(f.tree, path)
		if err != nil {
			return err
		}
		seen[path] = true
		sum := sha256.Sum256(data)
		if old, ok := f.index[path]; ok && old == sum {
			return nil
		}
		if err := f.remote.Put(ctx, path, data); err != nil {
			return err
		}
		f.index[path] = sum
		return nil
	})
	if err != nil {
		return err
	}
	for path := range f.index {
		if seen[path] {
			continue
		}
		if err := f.remote.Delete(ctx, path); err != nil {
			return err
		}
		delete(f.index, path)
	}
	return nil
}

// Run synchronises after changes until ctx ends, retrying failures.
func (f *Folder) Run(ctx context.Context, retry time.Duration) {
	t := time.NewTicker(retry)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-t.C:
		}
		if err := f.Sync(ctx); err != nil {
			slog.Warn("sync failed", "err", err)
		}
	}
}
