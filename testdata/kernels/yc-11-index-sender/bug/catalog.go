// Package indexsync announces the files of a shared folder to the devices it
// is shared with.
package indexsync

import (
	"sort"
	"sync"
)

// FileInfo describes one file of the folder.
type FileInfo struct {
	Name     string
	Size     int64
	Hash     string
	Deleted  bool
	Sequence int64 // set by the catalog; grows with every change
}

// Catalog is the local state of a folder. The scanner and the puller update it
// while the senders read it.
type Catalog struct {
	mu       sync.RWMutex
	files    map[string]FileInfo
	sequence int64 // sequence number of the latest change
	watchers map[chan struct{}]struct{}
}

// NewCatalog returns an empty catalog.
func NewCatalog() *Catalog {
	return &Catalog{
		files:    make(map[string]FileInfo),
		watchers: make(map[chan struct{}]struct{}),
	}
}

// Update records the current state of files.
func (c *Catalog) Update(files ...FileInfo) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range files {
		c.sequence++
		f.Sequence = c.sequence
		c.files[f.Name] = f
	}
	for w := range c.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// File returns the state of one file.
func (c *Catalog) File(name string) (FileInfo, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	f, ok := c.files[name]
	return f, ok
}

// Sequence returns the sequence number of the latest change.
func (c *Catalog) Sequence() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.sequence
}

// Since returns the files that changed after the given sequence number, in the
// order of their changes.
func (c *Catalog) Since(sequence int64) []FileInfo {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var changed []FileInfo
	for _, f := range c.files {
		if f.Sequence > sequence {
			changed = append(changed, f)
		}
	}
	sort.Slice(changed, func(i, j int) bool {
		return changed[i].Sequence < changed[j].Sequence
	})
	return changed
}

// watch returns a channel that receives a token after changes.
func (c *Catalog) watch() chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := make(chan struct{}, 1)
	c.watchers[w] = struct{}{}
	return w
}

func (c *Catalog) unwatch(w chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watchers, w)
}
