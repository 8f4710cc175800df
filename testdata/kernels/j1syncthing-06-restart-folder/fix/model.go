// Package model runs the folders that are in the configuration.
package model

import (
	"log"
	"strings"
	"sync"
)

// Connection is the connection to a device.
type Connection interface{ Close() }

// Model owns the folders and the connections.
type Model struct {
	*supervisor
	factory func(FolderConfiguration) service

	fmut               sync.RWMutex                   // protects the below
	folderCfgs         map[string]FolderConfiguration // folder -> cfg
	folderRunners      map[string]service             // folder -> puller or scanner
	folderRunnerTokens map[string][]serviceToken      // folder -> tokens for puller or scanner
	folderRestartMuts  syncMutexMap                   // folder -> restart mutex

	pmut sync.RWMutex          // protects the below
	conn map[string]Connection // device -> connection
}

// NewModel returns a model without folders.
func NewModel(factory func(FolderConfiguration) service) *Model {
	return &Model{
		supervisor:         newSupervisor(),
		factory:            factory,
		folderCfgs:         make(map[string]FolderConfiguration),
		folderRunners:      make(map[string]service),
		folderRunnerTokens: make(map[string][]serviceToken),
		conn:               make(map[string]Connection),
	}
}

// StartFolder adds and starts a folder when the program starts.
func (m *Model) StartFolder(cfg FolderConfiguration) {
	m.fmut.Lock()
	defer m.fmut.Unlock()
	m.addFolderLocked(cfg)
	m.startFolderLocked(cfg.ID)
}

// AddConnection takes over the connection to a device.
func (m *Model) AddConnection(device string, c Connection) {
	m.pmut.Lock()
	m.conn[device] = c
	m.pmut.Unlock()
}

// Runner returns what runs for a folder.
func (m *Model) Runner(folder string) (service, bool) {
	m.fmut.RLock()
	defer m.fmut.RUnlock()
	r, ok := m.folderRunners[folder]
	return r, ok
}

func (m *Model) addFolderLocked(cfg FolderConfiguration) {
	m.folderCfgs[cfg.ID] = cfg
}

func (m *Model) startFolderLocked(folder string) {
	if _, ok := m.folderRunners[folder]; ok {
		panic("cannot start already running folder " + folder)
	}
	p := m.factory(m.folderCfgs[folder])
	m.folderRunners[folder] = p
	token := m.Add(p)
	m.folderRunnerTokens[folder] = append(m.folderRunnerTokens[folder], token)
}

func (m *Model) tearDownFolderLocked(cfg FolderConfiguration) {
	// Close connections to affected devices
	// Must happen before stopping the folder service to abort ongoing
	// transmissions and thus allow timely service termination.
	for _, dev := range strings.Split(cfg.Devices, ",") {
		if c, ok := m.conn[dev]; ok {
			delete(m.conn, dev)
			c.Close()
		}
	}

	// Stop the services running for this folder and wait for them to finish
	// stopping to prevent races on restart.
	tokens := m.folderRunnerTokens[cfg.ID]
	m.pmut.Unlock()
	m.fmut.Unlock()
	for _, id := range tokens {
		m.RemoveAndWait(id)
	}
	m.fmut.Lock()
	m.pmut.Lock()

	// Clean up our config maps
	delete(m.folderCfgs, cfg.ID)
	delete(m.folderRunners, cfg.ID)
	delete(m.folderRunnerTokens, cfg.ID)
}

// RestartFolder replaces a folder by one with another configuration.
func (m *Model) RestartFolder(from, to FolderConfiguration) {
	if len(to.ID) == 0 {
		panic("bug: cannot restart empty folder ID")
	}
	if to.ID != from.ID {
		panic("bug: folder restart cannot change ID " + from.ID + " -> " + to.ID)
	}

	// This mutex protects the entirety of the restart operation, preventing
	// there from being more than one folder restart operation in progress
	// at any given time. The usual fmut/pmut stuff doesn't cover this,
	// because those locks are released while we are waiting for the folder
	// to shut down.
	restartMut := m.folderRestartMuts.Get(to.ID)
	restartMut.Lock()
	defer restartMut.Unlock()

	m.fmut.Lock()
	m.pmut.Lock()
	defer m.fmut.Unlock()
	defer m.pmut.Unlock()

	m.tearDownFolderLocked(from)
	if to.Paused {
		log.Println("Paused folder", to.ID)
	} else {
		m.addFolderLocked(to)
		m.startFolderLocked(to.ID)
		log.Println("Restarted folder", to.ID)
	}
}

// syncMutexMap is a type safe wrapper for a sync.Map that holds mutexes
type syncMutexMap struct {
	inner sync.Map
}

func (m *syncMutexMap) Get(key string) *sync.Mutex {
	v, _ := m.inner.LoadOrStore(key, new(sync.Mutex))
	return v.(*sync.Mutex)
}

// CommitConfiguration makes a configuration effective. It is called in the
// background for each change.
func (m *Model) CommitConfiguration(from, to Configuration) {
	for id, fromCfg := range from.Folders {
		// This folder exists on both sides. Settings might have changed.
		if toCfg, ok := to.Folders[id]; ok && toCfg != fromCfg {
			m.RestartFolder(fromCfg, toCfg)
		}
	}
}
