// Package mirror copies a directory tree to a remote store.
package mirror

import (
	"context"
	"log"
	"sync"
)

// Entry is a local file and what the remote side has of it.
type Entry struct {
	Path   string
	Local  string // hash of the local content
	Synced string // hash of the content on the remote side
}

// Index lists the files in the order in which they were found.
type Index struct {
	mu      sync.Mutex
	entries []Entry
}

func (x *Index) pos(path string) int {
	for i := range x.entries {
		if x.entries[i].Path == path {
			return i
		}
	}
	return -1
}

// Find returns the place of path in the index, or -1.
func (x *Index) Find(path string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.pos(path)
}

// Put records the hash of a new or changed file.
func (x *Index) Put(path, hash string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := x.pos(path); i >= 0 {
		x.entries[i].Local = hash
		return
	}
	x.entries = append(x.entries, Entry{Path: path, Local: hash})
}

// Remove drops a deleted file.
func (x *Index) Remove(path string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := x.pos(path); i >= 0 {
		x.entries = append(x.entries[:i], x.entries[i+1:]...)
	}
}

// SetSynced records what the remote side has.
func (x *Index) SetSynced(path, hash string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := x.pos(path); i >= 0 {
		x.entries[i].Synced = hash
	}
}

// Gone records that the remote side does not have the file any more, in case
// it was created again before the deletion was worked off.
func (x *Index) Gone(path string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := x.pos(path); i >= 0 {
		x.entries[i].Synced = ""
	}
}

// Pending returns the files that are not yet on the remote side.
func (x *Index) Pending() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var out []string
	for _, e := range x.entries {
		if e.Local != e.Synced {
			out = append(out, e.Path)
		}
	}
	return out
}

// Remote is the store we copy to. Upload returns the hash of what it sent.
type Remote interface {
	Upload(ctx context.Context, path string) (string, error)
	Delete(ctx context.Context, path string) error
}

type task struct {
	path   string
	remove bool
}

// Mirror is fed by the file watcher (Changed, Deleted) and works off its
// tasks in one goroutine, in order.
type Mirror struct {
	index  Index
	remote Remote
	tasks  chan task
}

func New(remote Remote) *Mirror {
	return &Mirror{remote: remote, tasks: make(chan task, 1024)}
}

func (m *Mirror) Changed(path, hash string) {
	m.index.Put(path, hash)
	m.tasks <- task{path: path}
}

func (m *Mirror) Deleted(path string) {
	m.index.Remove(path)
	m.tasks <- task{path: path, remove: true}
}

// Pending is what the status page shows.
func (m *Mirror) Pending() []string { return m.index.Pending() }

func (m *Mirror) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-m.tasks:
			var err error
			if t.remove {
				err = m.remove(ctx, t.path)
			} else {
				err = m.upload(ctx, t.path)
			}
			if err != nil {
				log.Printf("mirror: %s: %v", t.path, err)
			}
		}
	}
}

func (m *Mirror) upload(ctx context.Context, path string) error {
	if m.index.Find(path) < 0 {
		return nil // deleted meanwhile
	}
	hash, err := m.remote.Upload(ctx, path)
	if err != nil {
		return err
	}
	m.index.SetSynced(path, hash)
	return nil
}

func (m *Mirror) remove(ctx context.Context, path string) error {
	if err := m.remote.Delete(ctx, path); err != nil {
		return err
	}
	m.index.Gone(path)
	return nil
}
