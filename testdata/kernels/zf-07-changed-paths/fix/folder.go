// Package folder keeps the index of one shared folder up to date. A file
// system watcher reports changed paths; the folder hashes them in batches.
package folder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"log"
	"sort"
	"sync"
	"time"
)

// Entry is what the index knows about a file.
type Entry struct {
	Path    string
	Hash    string
	Size    int64
	Deleted bool
}

// Index holds the entries of a folder. It is safe for concurrent use.
type Index struct {
	mu      sync.RWMutex
	entries map[string]Entry
}

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{entries: make(map[string]Entry)} }

// Lookup returns the entry of a path.
func (ix *Index) Lookup(path string) (Entry, bool) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	e, ok := ix.entries[path]
	return e, ok
}

// put stores entries in one step.
func (ix *Index) put(entries []Entry) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for _, e := range entries {
		ix.entries[e.Path] = e
	}
}

// Folder is one shared folder. Changed may be called from any goroutine; Run
// has one.
type Folder struct {
	root  fs.FS
	index *Index
	delay time.Duration
	wake  chan struct{}

	mu      sync.Mutex
	changed map[string]struct{}
	batches int
}

// New returns a folder that waits for the given time after a change, because
// changes come in groups.
func New(root fs.FS, ix *Index, delay time.Duration) *Folder {
	return &Folder{
		root:    root,
		index:   ix,
		delay:   delay,
		wake:    make(chan struct{}, 1),
		changed: make(map[string]struct{}),
	}
}

// Changed tells the folder that something happened to a path.
func (f *Folder) Changed(path string) {
	f.mu.Lock()
	f.changed[path] = struct{}{}
	f.mu.Unlock()
	f.kick()
}

func (f *Folder) kick() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Backlog returns how many paths wait for a scan.
func (f *Folder) Backlog() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.changed)
}

// Batches returns how many batches were scanned.
func (f *Folder) Batches() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.batches
}

// take empties the backlog and returns it, in order.
func (f *Folder) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	paths := make([]string, 0, len(f.changed))
	for p := range f.changed {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	clear(f.changed)
	return paths
}

// restore puts the paths of a failed batch back.
func (f *Folder) restore(paths []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range paths {
		f.changed[p] = struct{}{}
	}
}

// settle is called when a batch is in the index.
func (f *Folder) settle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.batches++
}

// hash reads a file and returns its entry.
func (f *Folder) hash(path string) (Entry, error) {
	file, err := f.root.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{Path: path, Deleted: true}, nil
	}
	if err != nil {
		return Entry{}, err
	}
	defer file.Close()
	h := sha256.New()
	n, err := io.Copy(h, file)
	if err != nil {
		return Entry{}, err
	}
	return Entry{Path: path, Hash: hex.EncodeToString(h.Sum(nil)), Size: n}, nil
}

// scan hashes the paths and puts them in the index.
func (f *Folder) scan(ctx context.Context, paths []string) error {
	entries := make([]Entry, 0, len(paths))
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		e, err := f.hash(p)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	f.index.put(entries)
	return nil
}

// flush scans what has changed.
func (f *Folder) flush(ctx context.Context) error {
	paths := f.take()
	if len(paths) == 0 {
		return nil
	}
	if err := f.scan(ctx, paths); err != nil {
		f.restore(paths)
		return err
	}
	f.settle()
	return nil
}

// Run scans changed paths until ctx is done.
func (f *Folder) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(f.delay):
		}
		if err := f.flush(ctx); err != nil {
			log.Printf("folder: scan: %v", err)
			f.kick()
		}
	}
}
