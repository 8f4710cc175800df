// Package fsindex keeps an index of the files below a root for the sync
// protocol to compare with its peers.
package fsindex

import (
	"io/fs"
	"maps"
	"path/filepath"
	"sync"
	"time"
)

// Info is what the index knows of a file.
type Info struct {
	Size    int64
	ModTime time.Time
	Version uint64 // raised with each change
}

// Change is a difference between two scans.
type Change struct {
	Path    string
	Removed bool
	Info    Info
}

// Index is the file index. The protocol handlers read it while the scanner
// goroutine started by Open keeps it up to date.
type Index struct {
	root   string
	notify func([]Change)
	stop   chan struct{}
	idle   chan struct{} // closed when the scanner has ended

	mu      sync.RWMutex
	files   map[string]Info
	version uint64
	lastErr error
}

// Open returns an index of root that is scanned again per interval. notify is
// called by the scanner with the changes of each scan.
func Open(root string, every time.Duration, notify func([]Change)) *Index {
	ix := &Index{
		root:   root,
		notify: notify,
		stop:   make(chan struct{}),
		idle:   make(chan struct{}),
		files:  make(map[string]Info),
	}
	go ix.scanner(every)
	return ix
}

// Close ends the scanner. It must be called once.
func (ix *Index) Close() {
	close(ix.stop)
	<-ix.idle
}

func (ix *Index) scanner(every time.Duration) {
	defer close(ix.idle)
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		ix.scan()
		select {
		case <-ix.stop:
			return
		case <-t.C:
		}
	}
}

// scan compares the disk with the index and takes over the differences.
func (ix *Index) scan() {
	old, version := ix.current()
	found, err := ix.walk()
	if err != nil {
		ix.fail(err)
		return
	}
	next := make(map[string]Info, len(found))
	var changes []Change
	for path, info := range found {
		was, ok := old[path]
		if ok && was.Size == info.Size && was.ModTime.Equal(info.ModTime) {
			next[path] = was
			continue
		}
		version++
		info.Version = version
		next[path] = info
		changes = append(changes, Change{Path: path, Info: info})
	}
	for path, was := range old {
		if _, ok := found[path]; !ok {
			version++
			changes = append(changes, Change{Path: path, Removed: true, Info: was})
		}
	}
	ix.replace(next, version)
	if len(changes) > 0 {
		ix.notify(changes)
	}
}

func (ix *Index) current() (map[string]Info, uint64) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return maps.Clone(ix.files), ix.version
}

func (ix *Index) replace(files map[string]Info, version uint64) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.files = files
	ix.version = version
	ix.lastErr = nil
}

func (ix *Index) fail(err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.lastErr = err
}

func (ix *Index) walk() (map[string]Info, error) {
	found := make(map[string]Info)
	err := filepath.WalkDir(ix.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(ix.root, p)
		if err == nil {
			found[rel] = Info{Size: st.Size(), ModTime: st.ModTime()}
		}
		return err
	})
	return found, err
}

// Lookup returns what is known of a file.
func (ix *Index) Lookup(path string) (Info, bool) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	info, ok := ix.files[path]
	return info, ok
}

// Status returns the number of files, the version and the error of the last
// scan.
func (ix *Index) Status() (files int, version uint64, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return len(ix.files), ix.version, ix.lastErr
}
