// Package model exchanges the indexes of folders with other devices.
package model

import (
	"log"
	"sync"
)

// Folder is what a device announces about a folder.
type Folder struct {
	ID          string
	Paused      bool
	IndexID     uint64 // of ours
	MaxSequence int64  // of ours
}

// Connection is a connection to a device. Close makes the other side connect
// again.
type Connection interface {
	ID() string
	Index(folder string, fromSequence int64, fs *FileSet)
	Close()
}

// FileSet is the index of a folder.
type FileSet struct {
	mut      sync.Mutex
	indexID  uint64
	sequence int64
}

// IndexID returns the ID of our index.
func (s *FileSet) IndexID() uint64 {
	s.mut.Lock()
	defer s.mut.Unlock()
	return s.indexID
}

// Sequence returns the last sequence of our index.
func (s *FileSet) Sequence() int64 {
	s.mut.Lock()
	defer s.mut.Unlock()
	return s.sequence
}

// Model keeps the folders and connections.
type Model struct {
	cfg     *Wrapper
	loadSet func(folder string) *FileSet

	fmut        sync.RWMutex        // protects the below
	folderFiles map[string]*FileSet // of folders that are not paused

	pmut                sync.RWMutex // protects the below
	conn                map[string]Connection
	remotePausedFolders map[string][]string
}

// NewModel follows the configuration.
func NewModel(cfg *Wrapper, loadSet func(folder string) *FileSet) *Model {
	m := &Model{
		cfg:                 cfg,
		loadSet:             loadSet,
		folderFiles:         make(map[string]*FileSet),
		conn:                make(map[string]Connection),
		remotePausedFolders: make(map[string][]string),
	}
	cfg.Subscribe(m.CommitConfiguration)
	return m
}

// AddConnection adds a new peer connection to the model.
func (m *Model) AddConnection(conn Connection) {
	m.pmut.Lock()
	m.conn[conn.ID()] = conn
	m.pmut.Unlock()
}

// Closed is called when a connection has been closed
func (m *Model) Closed(conn Connection) {
	m.pmut.Lock()
	if m.conn[conn.ID()] == conn {
		delete(m.conn, conn.ID())
		delete(m.remotePausedFolders, conn.ID())
	}
	m.pmut.Unlock()
}

// ClusterConfig is called by the connection when the device announces its
// folders.
func (m *Model) ClusterConfig(conn Connection, folders []Folder) {
	deviceID := conn.ID()

	m.fmut.Lock()
	var paused []string
	for _, folder := range folders {
		cfg, ok := m.cfg.Folder(folder.ID)
		if !ok || !cfg.SharedWith(deviceID) {
			log.Printf("Unexpected folder %s sent from device %q; ensure that the folder exists and that this device is selected under \"Share With\" in the folder configuration.", folder.ID, deviceID)
			continue
		}
		if folder.Paused {
			paused = append(paused, folder.ID)
			continue
		}
		if cfg.Paused {
			continue
		}

		fs, ok := m.folderFiles[folder.ID]
		if !ok {
			// Shouldn't happen because !cfg.Paused, but might happen
			// if the folder is about to be unpaused, but not yet.
			continue
		}
		myIndexID := fs.IndexID()
		mySequence := fs.Sequence()
		var startSequence int64

		if folder.IndexID == myIndexID {
			// They say they've seen our index ID before, so we can
			// send a delta update only.
			if folder.MaxSequence > mySequence {
				// Safety check. They claim to have more or newer
				// index data than we have. We send a full index to reset the
				// situation.
				log.Printf("Device %v folder %s is delta index compatible, but seems out of sync with reality", deviceID, folder.ID)
			} else {
				startSequence = folder.MaxSequence
			}
		}

		go conn.Index(folder.ID, startSequence, fs)
	}

	m.pmut.Lock()
	if m.conn[deviceID] == conn {
		m.remotePausedFolders[deviceID] = paused
	}
	m.pmut.Unlock()
	m.fmut.Unlock()
}

// RemotePaused returns the folders that a device has paused.
func (m *Model) RemotePaused(deviceID string) []string {
	m.pmut.RLock()
	defer m.pmut.RUnlock()
	return m.remotePausedFolders[deviceID]
}

// CommitConfiguration starts and stops folders.
func (m *Model) CommitConfiguration(from, to map[string]FolderConfiguration) {
	for id, toCfg := range to {
		fromCfg, ok := from[id]
		if !ok || fromCfg.Paused != toCfg.Paused || len(fromCfg.Devices) != len(toCfg.Devices) {
			m.RestartFolder(fromCfg, toCfg)
		}
	}
}

// RestartFolder applies a new configuration of a folder.
func (m *Model) RestartFolder(from, to FolderConfiguration) {
	m.fmut.Lock()
	delete(m.folderFiles, to.ID)
	if to.Paused {
		log.Printf("Paused folder %s", to.ID)
	} else {
		m.folderFiles[to.ID] = m.loadSet(to.ID)
		log.Printf("Restarted folder %s", to.ID)
	}
	m.fmut.Unlock()

	// Close connections to affected devices; they announce their folders anew.
	m.closeConns(from.Devices)
	m.closeConns(to.Devices)
}

func (m *Model) closeConns(devs []string) {
	conns := make([]Connection, 0, len(devs))
	m.pmut.RLock()
	for _, dev := range devs {
		if conn, ok := m.conn[dev]; ok {
			conns = append(conns, conn)
		}
	}
	m.pmut.RUnlock()
	for _, conn := range conns {
		conn.Close()
	}
}
