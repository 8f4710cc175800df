// Package syncindex remembers which version of each file a sync client has
// last exchanged with the server. The index lives in memory and is saved to
// disk from time to time.
package syncindex

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log"
	"maps"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Entry describes a file as it was when it was last in sync.
type Entry struct {
	Size    int64     `json:"size"`
	ModTime time.Time `json:"mtime"`
	Hash    string    `json:"hash"`
}

// Index maps paths to entries. It is safe for concurrent use: transfers run
// in parallel and update the index when they end.
type Index struct {
	file string

	saving sync.Mutex  // one save at a time
	dirty  atomic.Bool // entries differ from the file

	mu      sync.RWMutex
	entries map[string]Entry
}

// Open reads the index from file; a missing file is an empty index.
func Open(file string) (*Index, error) {
	x := &Index{file: file, entries: make(map[string]Entry)}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &x.entries); err != nil {
		return nil, err
	}
	if x.entries == nil {
		x.entries = make(map[string]Entry)
	}
	return x, nil
}

// Get returns the entry of path.
func (x *Index) Get(path string) (Entry, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	e, ok := x.entries[path]
	return e, ok
}

// Put records that path is in sync as described by e.
func (x *Index) Put(path string, e Entry) {
	x.mu.Lock()
	x.entries[path] = e
	x.mu.Unlock()
	x.dirty.Store(true)
}

// Forget removes path, for a file that is deleted on both sides.
func (x *Index) Forget(path string) {
	x.mu.Lock()
	delete(x.entries, path)
	x.mu.Unlock()
	x.dirty.Store(true)
}

// Snapshot returns a copy of all entries.
func (x *Index) Snapshot() map[string]Entry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return maps.Clone(x.entries)
}

// Checkpoint saves the index if it has changed since it was saved.
func (x *Index) Checkpoint() error {
	x.saving.Lock()
	defer x.saving.Unlock()
	if !x.dirty.Swap(false) {
		return nil
	}
	if err := x.save(); err != nil {
		x.dirty.Store(true)
		return err
	}
	return nil
}

// save writes all entries to the file.
func (x *Index) save() error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetIndent("", "\t")
	if err := enc.Encode(x.Snapshot()); err != nil {
		return err
	}
	tmp := x.file + ".tmp"
	if err := os.WriteFile(tmp, buf.Bytes(), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, x.file)
}

// Run saves the index every interval until ctx is done, and once more then.
// The caller ends the transfers before it cancels ctx.
func (x *Index) Run(ctx context.Context, every time.Duration) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := x.Checkpoint(); err != nil {
				log.Printf("syncindex: %v", err)
			}
		case <-ctx.Done():
			return x.Checkpoint()
		}
	}
}
