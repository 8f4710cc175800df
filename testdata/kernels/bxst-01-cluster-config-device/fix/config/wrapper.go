// Package config holds the configuration.
package config

import (
	"maps"
	"slices"
	"sync"
)

// Device is a configured device.
type Device struct {
	AutoAcceptFolders bool
	Ignored           []string
}

// IgnoredFolder reports whether offers of a folder are ignored.
func (d Device) IgnoredFolder(id string) bool { return slices.Contains(d.Ignored, id) }

// Folder is a configured folder.
type Folder struct {
	Paused  bool
	Devices []string
}

// SharedWith reports whether a device takes part.
func (f Folder) SharedWith(device string) bool { return slices.Contains(f.Devices, device) }

// Committer is told about every change.
type Committer interface {
	CommitConfiguration(to map[string]Device)
}

// Wrapper is safe for concurrent use.
type Wrapper struct {
	mut     sync.Mutex
	devices map[string]Device
	folders map[string]Folder
	pending map[string]map[string]string // device -> folder -> label
	subs    []Committer
	saved   int
}

// Devices returns a copy of the devices.
func (w *Wrapper) Devices() map[string]Device {
	w.mut.Lock()
	defer w.mut.Unlock()
	return maps.Clone(w.devices)
}

// Folder returns the configuration of a folder.
func (w *Wrapper) Folder(id string) (Folder, bool) {
	w.mut.Lock()
	defer w.mut.Unlock()
	f, ok := w.folders[id]
	return f, ok
}

// AutoAccept shares a folder with a device.
func (w *Wrapper) AutoAccept(id, device string) bool {
	w.mut.Lock()
	defer w.mut.Unlock()
	f := w.folders[id]
	if f.SharedWith(device) {
		return false
	}
	f.Devices = append(slices.Clone(f.Devices), device)
	w.folders[id] = f
	return true
}

// AddOrUpdatePendingFolder remembers an offer.
func (w *Wrapper) AddOrUpdatePendingFolder(id, label, device string) {
	w.mut.Lock()
	defer w.mut.Unlock()
	if _, ok := w.devices[device]; !ok {
		return
	}
	if w.pending[device] == nil {
		w.pending[device] = make(map[string]string)
	}
	w.pending[device][id] = label
}

// RemoveDevice forgets a device.
func (w *Wrapper) RemoveDevice(device string) {
	w.mut.Lock()
	delete(w.devices, device)
	delete(w.pending, device)
	to, subs := maps.Clone(w.devices), slices.Clone(w.subs)
	w.mut.Unlock()
	for _, s := range subs {
		s.CommitConfiguration(to)
	}
}

// Save writes the configuration.
func (w *Wrapper) Save() {
	w.mut.Lock()
	defer w.mut.Unlock()
	w.saved++
}
