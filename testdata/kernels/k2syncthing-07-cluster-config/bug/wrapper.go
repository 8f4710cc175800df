package model

import (
	"slices"
	"sync"
)

// FolderConfiguration is the configuration of a folder.
type FolderConfiguration struct {
	ID      string
	Devices []string
	Paused  bool
}

// SharedWith reports if the folder is shared with a device.
func (f FolderConfiguration) SharedWith(device string) bool {
	return slices.Contains(f.Devices, device)
}

// Wrapper keeps the configuration and tells the committers about changes.
type Wrapper struct {
	changeMut sync.Mutex // one change at a time

	mut     sync.Mutex // protects the below
	folders map[string]FolderConfiguration
	subs    []func(from, to map[string]FolderConfiguration)
}

// NewWrapper returns an empty configuration.
func NewWrapper() *Wrapper {
	return &Wrapper{folders: make(map[string]FolderConfiguration)}
}

// Subscribe registers the given handler to be called on any future
// configuration changes.
func (w *Wrapper) Subscribe(c func(from, to map[string]FolderConfiguration)) {
	w.mut.Lock()
	w.subs = append(w.subs, c)
	w.mut.Unlock()
}

// Folder returns the configuration for the given folder.
func (w *Wrapper) Folder(id string) (FolderConfiguration, bool) {
	w.mut.Lock()
	defer w.mut.Unlock()
	f, ok := w.folders[id]
	return f, ok
}

// SetFolder adds a new folder to the configuration, or overwrites an existing
// folder with the same ID. It returns when all committers are done.
func (w *Wrapper) SetFolder(fld FolderConfiguration) {
	w.changeMut.Lock()
	defer w.changeMut.Unlock()

	w.mut.Lock()
	from := w.folders
	to := make(map[string]FolderConfiguration, len(from)+1)
	for id, f := range from {
		to[id] = f
	}
	to[fld.ID] = fld
	w.folders = to
	subs := slices.Clone(w.subs)
	w.mut.Unlock()

	var wg sync.WaitGroup
	wg.Add(len(subs))
	for _, sub := range subs {
		go func() {
			sub(from, to)
			wg.Done()
		}()
	}
	wg.Wait()
}
