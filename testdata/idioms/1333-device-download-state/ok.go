package model

import (
	"slices"
	"sync"
)

// Progress is an update of what a device has downloaded of a file.
type Progress struct {
	Folder string
	Name   string
	Blocks []int
	Forget bool
}

// deviceFolderDownloadState holds current download state of all files that
// a remote device is currently downloading in a specific folder.
type deviceFolderDownloadState struct {
	mut   sync.RWMutex
	files map[string][]int
}

// Has returns whether a block is available on the remote device.
func (p *deviceFolderDownloadState) Has(file string, index int) bool {
	p.mut.RLock()
	defer p.mut.RUnlock()
	return slices.Contains(p.files[file], index)
}

// Update updates what has been downloaded.
func (p *deviceFolderDownloadState) Update(u Progress) {
	p.mut.Lock()
	defer p.mut.Unlock()
	if u.Forget {
		delete(p.files, u.Name)
		return
	}
	p.files[u.Name] = append(p.files[u.Name], u.Blocks...)
}

// deviceDownloadState represents the state of all in progress downloads
// for all folders of a specific device.
type deviceDownloadState struct {
	mut     sync.RWMutex
	folders map[string]*deviceFolderDownloadState
}

// Update is called by the reader of the connection only; the others just read.
func (t *deviceDownloadState) Update(u Progress) {
	t.mut.RLock()
	f, ok := t.folders[u.Folder]
	t.mut.RUnlock()

	if !ok {
		f = &deviceFolderDownloadState{
			files: make(map[string][]int),
		}
		t.mut.Lock()
		t.folders[u.Folder] = f
		t.mut.Unlock()
	}

	f.Update(u)
}

// Has returns whether a block is available on the remote device.
func (t *deviceDownloadState) Has(folder, file string, index int) bool {
	t.mut.RLock()
	f, ok := t.folders[folder]
	t.mut.RUnlock()
	if !ok {
		return false
	}
	return f.Has(file, index)
}

type model struct {
	pmut            sync.RWMutex
	deviceDownloads map[string]*deviceDownloadState
}

func newModel() *model {
	return &model{deviceDownloads: make(map[string]*deviceDownloadState)}
}

// AddConnection starts the reader of the connection, with a new state.
func (m *model) AddConnection(device string, updates <-chan Progress) {
	downloads := &deviceDownloadState{folders: make(map[string]*deviceFolderDownloadState)}

	m.pmut.Lock()
	m.deviceDownloads[device] = downloads
	m.pmut.Unlock()

	go readerLoop(downloads, updates)
}

// readerLoop handles the messages of one connection, one after the other.
func readerLoop(downloads *deviceDownloadState, updates <-chan Progress) {
	for u := range updates {
		downloads.Update(u)
	}
}

// Availability is called by the pullers of all folders.
func (m *model) Availability(folder, file string, block int) []string {
	m.pmut.RLock()
	defer m.pmut.RUnlock()
	var devices []string
	for device, downloads := range m.deviceDownloads {
		if downloads.Has(folder, file, block) {
			devices = append(devices, device)
		}
	}
	return devices
}
