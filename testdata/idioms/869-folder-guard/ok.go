// Package folder keeps the index of shared folders and merges the changes that
// the local scanner and remote devices report.
package folder

import (
	"errors"
	"sync"
)

// ErrUnknown is returned for a folder that is not shared.
var ErrUnknown = errors.New("folder: unknown folder")

// File is the indexed state of a file.
type File struct {
	Name    string
	Version uint64
	Size    int64
	Hash    string
	Device  string // the device that made this version
}

// index is the table of one folder. Each call is atomic on its own.
type index struct {
	mu    sync.RWMutex
	files map[string]File
	bytes int64
}

func (x *index) get(name string) (File, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	f, ok := x.files[name]
	return f, ok
}

func (x *index) put(f File) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.bytes += f.Size - x.files[f.Name].Size
	x.files[f.Name] = f
}

func (x *index) size() (files int, bytes int64) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.files), x.bytes
}

// folder is a shared folder. Changes of its index are made with the folder
// locked; lookups go to the index directly.
type folder struct {
	changing sync.Mutex
	index    index
}

// Model owns the folders, which are fixed when it is made. All methods are
// safe for concurrent use.
type Model struct {
	device  string
	folders map[string]*folder
}

// NewModel returns a model of the device with the given folders.
func NewModel(device string, ids ...string) *Model {
	m := &Model{device: device, folders: make(map[string]*folder, len(ids))}
	for _, id := range ids {
		m.folders[id] = &folder{index: index{files: make(map[string]File)}}
	}
	return m
}

// change runs fn with a folder locked.
func (m *Model) change(id string, fn func(*folder)) error {
	f, ok := m.folders[id]
	if !ok {
		return ErrUnknown
	}
	f.changing.Lock()
	defer f.changing.Unlock()
	fn(f)
	return nil
}

// Scanned records the local state of a file and returns its version. A file
// that has not changed keeps its version.
func (m *Model) Scanned(id, name, hash string, size int64) (version uint64, err error) {
	err = m.change(id, func(f *folder) {
		version = f.bump(name, hash, size, m.device)
	})
	return version, err
}

// Announced takes over the files of a remote device that are newer than ours
// and returns the names of those to be fetched.
func (m *Model) Announced(id string, files []File) (fetch []string, err error) {
	err = m.change(id, func(f *folder) {
		for _, remote := range files {
			if f.accept(remote) {
				fetch = append(fetch, remote.Name)
			}
		}
	})
	return fetch, err
}

// Lookup returns the indexed state of a file.
func (m *Model) Lookup(id, name string) (File, bool) {
	f, ok := m.folders[id]
	if !ok {
		return File{}, false
	}
	return f.index.get(name)
}

// Size returns the number of files of a folder and their total size.
func (m *Model) Size(id string) (files int, bytes int64, err error) {
	f, ok := m.folders[id]
	if !ok {
		return 0, 0, ErrUnknown
	}
	files, bytes = f.index.size()
	return files, bytes, nil
}

// bump gives a changed file its next version. Called with the folder locked.
func (f *folder) bump(name, hash string, size int64, device string) uint64 {
	old, ok := f.index.get(name)
	if ok && old.Hash == hash {
		return old.Version
	}
	next := File{Name: name, Version: old.Version + 1, Size: size, Hash: hash, Device: device}
	f.index.put(next)
	return next.Version
}

// accept takes over a remote file unless the index has a version that is as
// new; of equal versions the one of the greater device name wins. Called with
// the folder locked.
func (f *folder) accept(remote File) bool {
	local, ok := f.index.get(remote.Name)
	if ok && local.Version > remote.Version {
		return false
	}
	if ok && local.Version == remote.Version && local.Device >= remote.Device {
		return false
	}
	f.index.put(remote)
	return true
}
