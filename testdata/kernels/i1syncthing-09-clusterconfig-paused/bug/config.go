package model

import (
	"maps"
	"slices"
	"sync"
)

// DeviceID names a device.
type DeviceID string

// FolderConfiguration is the configuration of one shared folder.
type FolderConfiguration struct {
	ID      string
	Path    string
	Paused  bool
	Devices []DeviceID
}

// SharedWith returns if the device takes part in the folder.
func (f FolderConfiguration) SharedWith(device DeviceID) bool {
	return slices.Contains(f.Devices, device)
}

// Committer reacts to a changed configuration.
type Committer interface {
	CommitConfiguration(from, to map[string]FolderConfiguration)
}

// Wrapper owns the current configuration.
type Wrapper struct {
	commitMut sync.Mutex // one change at a time, with its notifications

	mut     sync.RWMutex
	folders map[string]FolderConfiguration
	subs    []Committer
}

// NewWrapper returns an empty configuration.
func NewWrapper() *Wrapper {
	return &Wrapper{folders: make(map[string]FolderConfiguration)}
}

// Subscribe registers a committer for later changes.
func (w *Wrapper) Subscribe(c Committer) {
	w.mut.Lock()
	w.subs = append(w.subs, c)
	w.mut.Unlock()
}

// Folder returns the configuration of a folder.
func (w *Wrapper) Folder(id string) (FolderConfiguration, bool) {
	w.mut.RLock()
	defer w.mut.RUnlock()
	cfg, ok := w.folders[id]
	return cfg, ok
}

// SetFolder adds or changes a folder and tells the committers.
func (w *Wrapper) SetFolder(cfg FolderConfiguration) {
	w.commitMut.Lock()
	defer w.commitMut.Unlock()

	w.mut.Lock()
	from := w.folders
	to := maps.Clone(from)
	to[cfg.ID] = cfg
	w.folders = to
	subs := slices.Clone(w.subs)
	w.mut.Unlock()

	// Committers ask us for details, so no lock here.
	for _, sub := range subs {
		sub.CommitConfiguration(from, to)
	}
}
