// Package model keeps folders in sync with other devices.
package model

import (
	"log"
	"sync"
)

// Device is a device's view of a folder, as announced in a cluster config.
type Device struct {
	ID          DeviceID
	IndexID     uint64
	MaxSequence int64
}

// Folder is one announced folder.
type Folder struct {
	ID      string
	Paused  bool
	Devices []Device
}

// Sender sends the index of a folder from a sequence on.
type Sender func(device DeviceID, fs *FileSet, start int64)

// Model ties the configuration to the running folders.
type Model struct {
	id   DeviceID
	cfg  *Wrapper
	send Sender

	fmut        sync.RWMutex
	folderFiles map[string]*FileSet
}

// NewModel returns a model that follows the configuration.
func NewModel(id DeviceID, cfg *Wrapper, send Sender) *Model {
	m := &Model{
		id:          id,
		cfg:         cfg,
		send:        send,
		folderFiles: make(map[string]*FileSet),
	}
	cfg.Subscribe(m)
	return m
}

// CommitConfiguration starts and stops folders.
func (m *Model) CommitConfiguration(from, to map[string]FolderConfiguration) {
	for id, cfg := range to {
		old, existed := from[id]
		switch {
		case cfg.Paused && existed && !old.Paused:
			m.stopFolder(id)
		case !cfg.Paused && (!existed || old.Paused):
			m.startFolder(id)
		}
	}
}

func (m *Model) startFolder(id string) {
	fs := newFileSet(m.id) // can take a while
	m.fmut.Lock()
	m.folderFiles[id] = fs
	m.fmut.Unlock()
	log.Printf("Ready to synchronize %s", id)
}

func (m *Model) stopFolder(id string) {
	m.fmut.Lock()
	delete(m.folderFiles, id)
	m.fmut.Unlock()
	log.Printf("Paused %s", id)
}

// ClusterConfig handles the folders that a device announces.
func (m *Model) ClusterConfig(device DeviceID, folders []Folder) {
	m.fmut.Lock()
	defer m.fmut.Unlock()
	for _, folder := range folders {
		cfg, ok := m.cfg.Folder(folder.ID)
		if !ok || !cfg.SharedWith(device) {
			log.Printf("Unexpected folder %s sent from device %s", folder.ID, device)
			continue
		}
		if folder.Paused || cfg.Paused {
			continue
		}

		fs := m.folderFiles[folder.ID]
		start := m.startSequence(folder, fs)
		go m.send(device, fs, start)
	}
}

// startSequence compares indexes and returns where we have to send from.
func (m *Model) startSequence(folder Folder, fs *FileSet) (start int64) {
	myIndexID, mySequence := fs.Index(m.id)
	for _, dev := range folder.Devices {
		// If they have seen our index ID and are not ahead of us we can send
		// a delta update.
		if dev.ID == m.id && dev.IndexID == myIndexID && dev.MaxSequence <= mySequence {
			start = dev.MaxSequence
		}
	}
	return start
}
