// Package model pulls the files that other devices have changed.
package model

import (
	"sort"
	"sync"
)

// FileInfo is an entry of an index.
type FileInfo struct {
	Name      string
	Version   int64
	Deleted   bool
	Directory bool
	Blocks    []string // hashes; a file has at least one
}

// Model keeps the indexes of a folder.
type Model struct {
	mut    sync.RWMutex
	local  map[string]FileInfo // what we have
	global map[string]FileInfo // the newest of all devices
	puller *rwFolder
}

// NewModel starts a puller that uses the filesystem.
func NewModel(fs Filesystem) *Model {
	m := &Model{
		local:  make(map[string]FileInfo),
		global: make(map[string]FileInfo),
	}
	m.puller = newRWFolder(m, fs)
	go m.puller.Serve()
	return m
}

// IndexUpdate is called by a connection when a device has changed files.
func (m *Model) IndexUpdate(fs []FileInfo) {
	m.mut.Lock()
	for _, f := range fs {
		if f.Version > m.global[f.Name].Version {
			m.global[f.Name] = f
		}
	}
	m.mut.Unlock()
	m.puller.IndexUpdated()
}

// Stop stops the puller.
func (m *Model) Stop() { m.puller.Stop() }

// CurrentFolderFile returns our version of a file.
func (m *Model) CurrentFolderFile(name string) (FileInfo, bool) {
	m.mut.RLock()
	defer m.mut.RUnlock()
	f, ok := m.local[name]
	return f, ok
}

// CurrentGlobalFile returns the newest version of a file.
func (m *Model) CurrentGlobalFile(name string) (FileInfo, bool) {
	m.mut.RLock()
	defer m.mut.RUnlock()
	f, ok := m.global[name]
	return f, ok
}

func (m *Model) updateLocal(f FileInfo) {
	m.mut.Lock()
	m.local[f.Name] = f
	m.mut.Unlock()
}

// withNeed calls fn, in the order of names, for what is newer than ours.
func (m *Model) withNeed(fn func(FileInfo)) {
	m.mut.RLock()
	var need []FileInfo
	for name, f := range m.global {
		if f.Version > m.local[name].Version {
			need = append(need, f)
		}
	}
	m.mut.RUnlock()
	sort.Slice(need, func(i, j int) bool { return need[i].Name < need[j].Name })
	for _, f := range need {
		fn(f)
	}
}
