package model

import (
	"fmt"
	"log"
	"sync"
)

type FolderConfiguration struct {
	ID     string
	Path   string
	Paused bool
}

func (f FolderConfiguration) Description() string {
	return fmt.Sprintf("%q (%s)", f.ID, f.Path)
}

type model struct {
	db *Lowlevel

	folderRestartMuts syncMutexMap // folder -> restart mutex

	fmut          sync.RWMutex
	folderCfgs    map[string]FolderConfiguration // folder -> cfg
	folderFiles   map[string]*FileSet            // folder -> files
	folderRunners map[string]*folder             // folder -> runner
}

func newModel(db *Lowlevel) *model {
	return &model{
		db:            db,
		folderCfgs:    make(map[string]FolderConfiguration),
		folderFiles:   make(map[string]*FileSet),
		folderRunners: make(map[string]*folder),
	}
}

// Need to hold lock on m.fmut when calling this.
func (m *model) addAndStartFolderLocked(cfg FolderConfiguration, fset *FileSet) {
	m.folderCfgs[cfg.ID] = cfg
	m.folderFiles[cfg.ID] = fset

	if _, ok := m.folderRunners[cfg.ID]; ok {
		log.Println("Cannot start already running folder", cfg.Description())
		panic("cannot start already running folder")
	}

	p := newFolder(cfg, fset)
	m.folderRunners[cfg.ID] = p
	go p.serve()

	log.Printf("Ready to synchronize %s", cfg.Description())
}

func (m *model) stopFolder(cfg FolderConfiguration) {
	// Stop the services running for this folder and wait for them to finish
	// stopping to prevent races on restart.
	m.fmut.RLock()
	runner, ok := m.folderRunners[cfg.ID]
	m.fmut.RUnlock()

	if ok {
		runner.stop()
	}
}

// Need to hold lock on m.fmut when calling this.
func (m *model) cleanupFolderLocked(cfg FolderConfiguration) {
	// clear up our config maps
	delete(m.folderCfgs, cfg.ID)
	delete(m.folderFiles, cfg.ID)
	delete(m.folderRunners, cfg.ID)
}

func (m *model) newFolder(cfg FolderConfiguration) {
	restartMut := m.folderRestartMuts.Get(cfg.ID)
	restartMut.Lock()
	defer restartMut.Unlock()

	m.fmut.Lock()
	defer m.fmut.Unlock()
	m.addAndStartFolderLocked(cfg, NewFileSet(cfg.ID, m.db))
}

func (m *model) restartFolder(from, to FolderConfiguration) {
	if len(to.ID) == 0 {
		panic("bug: cannot restart empty folder ID")
	}
	if to.ID != from.ID {
		panic("bug: folder restart cannot change ID")
	}

	// This mutex protects the entirety of the restart operation, preventing
	// there from being more than one folder restart operation in progress
	// at any given time. The usual fmut stuff doesn't cover this,
	// because those locks are released while we are waiting for the folder
	// to shut down (and must be so because the folder might need them as
	// part of its operations before shutting down).
	restartMut := m.folderRestartMuts.Get(to.ID)
	restartMut.Lock()
	defer restartMut.Unlock()

	var infoMsg string
	switch {
	case to.Paused:
		infoMsg = "Paused"
	case from.Paused:
		infoMsg = "Unpaused"
	default:
		infoMsg = "Restarted"
	}

	var fset *FileSet
	if !to.Paused {
		// Creating the fileset can take a long time (metadata calculation)
		// so we do it outside of the lock.
		fset = NewFileSet(to.ID, m.db)
	}

	m.stopFolder(from)

	m.fmut.Lock()
	defer m.fmut.Unlock()

	m.cleanupFolderLocked(from)
	if !to.Paused {
		m.addAndStartFolderLocked(to, fset)
	}
	log.Printf("%v folder %v", infoMsg, to.Description())
}

// CurrentSequence returns the change version for the given folder.
// This is guaranteed to increment if the contents of the local folder has
// changed.
func (m *model) CurrentSequence(folder string) (int64, bool) {
	m.fmut.RLock()
	fs, ok := m.folderFiles[folder]
	m.fmut.RUnlock()
	if !ok {
		// The folder might not exist, since this can be called with a user
		// specified folder name from the REST interface.
		return 0, false
	}
	return fs.Sequence(), true
}

func (m *model) CommitConfiguration(from, to FolderConfiguration) {
	if from.ID == "" {
		m.newFolder(to)
		return
	}
	m.restartFolder(from, to)
}

// syncMutexMap is a type safe wrapper for a sync.Map that holds mutexes
type syncMutexMap struct {
	inner sync.Map
}

func (m *syncMutexMap) Get(key string) *sync.Mutex {
	v, _ := m.inner.LoadOrStore(key, new(sync.Mutex))
	return v.(*sync.Mutex)
}
