package a

import (
	"fmt"
	"sync"
)

type FolderConfiguration struct {
	ID      string
	Path    string
	Devices []string
}

type FileSet struct {
	folder  string
	mut     sync.Mutex
	devices map[string]bool
}

func NewFileSet(folder, path string) *FileSet {
	return &FileSet{folder: folder, devices: make(map[string]bool)}
}

func (s *FileSet) ListDevices() []string {
	s.mut.Lock()
	defer s.mut.Unlock()
	var devs []string
	for d := range s.devices {
		devs = append(devs, d)
	}
	return devs
}

func (s *FileSet) Drop(device string) {
	s.mut.Lock()
	defer s.mut.Unlock()
	delete(s.devices, device)
}

type service interface {
	Serve()
	Stop()
}

type connection interface{ Close(err error) }

type model struct {
	newRunner func(cfg FolderConfiguration, fset *FileSet) service

	fmut          sync.RWMutex
	folderCfgs    map[string]FolderConfiguration
	folderFiles   map[string]*FileSet
	folderRunners map[string]service

	pmut sync.RWMutex
	conn map[string]connection
}

// closeConns will close the underlying connection for given devices.
func (m *model) closeConns(devs []string, err error) {
	var conns []connection
	m.pmut.Lock()
	for _, dev := range devs {
		if conn, ok := m.conn[dev]; ok {
			conns = append(conns, conn)
		}
	}
	m.pmut.Unlock()
	for _, conn := range conns {
		conn.Close(err)
	}
}

// startFolder constructs the folder service and starts it.
func (m *model) startFolder(folder string) {
	m.fmut.RLock()
	folderCfg := m.folderCfgs[folder]
	m.fmut.RUnlock()

	// Close connections to affected devices
	m.closeConns(folderCfg.Devices, fmt.Errorf("started folder %v", folderCfg.ID))

	m.fmut.Lock()
	defer m.fmut.Unlock()
	m.startFolderLocked(folderCfg)
}

// Need to hold lock on m.fmut when calling this.
func (m *model) startFolderLocked(cfg FolderConfiguration) {
	if _, ok := m.folderRunners[cfg.ID]; ok {
		panic("cannot start already running folder")
	}

	fset := m.folderFiles[cfg.ID]

	expected := make(map[string]bool)
	for _, d := range cfg.Devices {
		expected[d] = true
	}
	for _, available := range fset.ListDevices() {
		if !expected[available] {
			fset.Drop(available)
		}
	}

	p := m.newRunner(cfg, fset)
	m.folderRunners[cfg.ID] = p
	go p.Serve()
}

func (m *model) addFolder(cfg FolderConfiguration) {
	// Creating the fileset can take a long time (metadata calculation) so
	// we do it outside of the lock.
	fset := NewFileSet(cfg.ID, cfg.Path)

	m.fmut.Lock()
	defer m.fmut.Unlock()
	m.folderCfgs[cfg.ID] = cfg
	m.folderFiles[cfg.ID] = fset
}

func (m *model) removeFolder(folder string) {
	m.fmut.Lock()
	runner := m.folderRunners[folder]
	delete(m.folderCfgs, folder)
	delete(m.folderFiles, folder)
	delete(m.folderRunners, folder)
	m.fmut.Unlock()
	if runner != nil {
		runner.Stop()
	}
}

// FolderAdded and FolderRemoved are called on config commits.
func (m *model) FolderAdded(cfg FolderConfiguration) {
	m.addFolder(cfg)
	m.startFolder(cfg.ID)
}

func (m *model) FolderRemoved(cfg FolderConfiguration) { m.removeFolder(cfg.ID) }
