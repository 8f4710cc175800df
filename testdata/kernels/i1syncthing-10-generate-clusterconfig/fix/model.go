// Package model announces the shared folders to other devices.
package model

import (
	"slices"
	"sync"
)

// DeviceID names a device; the zero value is the local one in file sets.
type DeviceID string

const localDevice DeviceID = ""

// FolderConfiguration is the configuration of one shared folder.
type FolderConfiguration struct {
	ID, Label string
	Paused    bool
	Devices   []DeviceID
}

// Configuration is what the user wants; it has its own lock.
type Configuration interface {
	FolderList() []FolderConfiguration
	DeviceName(id DeviceID) string
}

// Device is one device of an announced folder.
type Device struct {
	ID          DeviceID
	Name        string
	IndexID     uint64
	MaxSequence int64
}

// Folder is one announced folder.
type Folder struct {
	ID, Label string
	Paused    bool
	Devices   []Device
}

// ClusterConfig is the message with all folders.
type ClusterConfig struct {
	Folders []Folder
}

// Connection sends messages to a device.
type Connection interface {
	ClusterConfig(cm ClusterConfig)
}

// Model holds the running folders and the connections.
type Model struct {
	id  DeviceID
	cfg Configuration

	fmut        sync.RWMutex
	folderFiles map[string]*FileSet

	sendMut sync.Mutex // one announcement at a time

	pmut sync.RWMutex
	conn map[DeviceID]Connection
}

// NewModel returns a model without folders.
func NewModel(id DeviceID, cfg Configuration) *Model {
	return &Model{
		id:          id,
		cfg:         cfg,
		folderFiles: make(map[string]*FileSet),
		conn:        make(map[DeviceID]Connection),
	}
}

// StartFolder makes the files of a folder known.
func (m *Model) StartFolder(id string, fs *FileSet) {
	m.fmut.Lock()
	m.folderFiles[id] = fs
	m.fmut.Unlock()
}

// StopFolder closes a folder that was paused or removed.
func (m *Model) StopFolder(id string) {
	m.fmut.Lock()
	defer m.fmut.Unlock()
	if fs, ok := m.folderFiles[id]; ok {
		fs.close()
		delete(m.folderFiles, id)
	}
}

// AddConnection registers a connection and tells the device our folders.
func (m *Model) AddConnection(device DeviceID, conn Connection) {
	m.pmut.Lock()
	m.conn[device] = conn
	m.pmut.Unlock()
	m.announce(device, conn)
}

// ResendClusterConfig tells all devices about changed folders.
func (m *Model) ResendClusterConfig() {
	m.pmut.RLock()
	conns := make(map[DeviceID]Connection, len(m.conn))
	for id, conn := range m.conn {
		conns[id] = conn
	}
	m.pmut.RUnlock()
	for id, conn := range conns {
		m.announce(id, conn)
	}
}

func (m *Model) announce(device DeviceID, conn Connection) {
	m.sendMut.Lock()
	defer m.sendMut.Unlock()
	conn.ClusterConfig(m.generateClusterConfig(device))
}

// generateClusterConfig describes the folders for a device.
func (m *Model) generateClusterConfig(device DeviceID) ClusterConfig {
	var message ClusterConfig

	m.fmut.RLock()
	defer m.fmut.RUnlock()

	for _, folderCfg := range m.cfg.FolderList() {
		if !slices.Contains(folderCfg.Devices, device) {
			continue
		}
		folder := Folder{ID: folderCfg.ID, Label: folderCfg.Label, Paused: folderCfg.Paused}

		var fs *FileSet
		if !folderCfg.Paused {
			fs = m.folderFiles[folderCfg.ID]
		}
		for _, id := range folderCfg.Devices {
			dev := Device{ID: id, Name: m.cfg.DeviceName(id)}
			if fs != nil {
				if id == m.id {
					dev.IndexID, dev.MaxSequence = fs.Index(localDevice)
				} else {
					dev.IndexID, dev.MaxSequence = fs.Index(id)
				}
			}
			folder.Devices = append(folder.Devices, dev)
		}
		message.Folders = append(message.Folders, folder)
	}
	return message
}
