package a

import (
	"context"
	"sync"
	"time"
)

type FileInfo struct {
	Name    string
	Deleted bool
}

type FolderConfiguration struct {
	ID           string
	Scan         func(ctx context.Context) []FileInfo
	ScanInterval time.Duration
}

// fileSet is the part of the database that belongs to one folder.
type fileSet struct {
	mut      sync.Mutex
	files    map[string]FileInfo
	sequence int64
}

type database struct {
	mut  sync.Mutex
	sets map[string]*fileSet
}

func (d *database) fileSet(folder string) *fileSet {
	d.mut.Lock()
	defer d.mut.Unlock()
	s, ok := d.sets[folder]
	if !ok {
		s = &fileSet{files: make(map[string]FileInfo)}
		d.sets[folder] = s
	}
	return s
}

func (d *database) dropFolder(folder string) {
	d.mut.Lock()
	defer d.mut.Unlock()
	delete(d.sets, folder)
}

func (d *database) update(folder string, fs []FileInfo) {
	s := d.fileSet(folder)
	s.mut.Lock()
	defer s.mut.Unlock()
	for _, f := range fs {
		s.files[f.Name] = f
		s.sequence++
	}
}

// folder is the service that keeps the database in sync with the file system.
type folder struct {
	FolderConfiguration
	model   *Model
	ctx     context.Context
	cancel  context.CancelFunc
	stopped chan struct{}
}

func newFolder(m *Model, cfg FolderConfiguration) *folder {
	ctx, cancel := context.WithCancel(context.Background())
	return &folder{FolderConfiguration: cfg, model: m, ctx: ctx, cancel: cancel, stopped: make(chan struct{})}
}

func (f *folder) Serve() {
	defer close(f.stopped)
	timer := time.NewTimer(time.Millisecond)
	defer timer.Stop()
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-timer.C:
			files := f.Scan(f.ctx)
			f.model.db.update(f.ID, files)
			timer.Reset(f.ScanInterval)
		}
	}
}

func (f *folder) Stop() {
	f.cancel()
	<-f.stopped
}

type Model struct {
	db *database

	fmut          sync.Mutex
	folderRunners map[string]*folder
}

func NewModel() *Model {
	return &Model{
		db:            &database{sets: make(map[string]*fileSet)},
		folderRunners: make(map[string]*folder),
	}
}

func (m *Model) AddFolder(cfg FolderConfiguration) {
	m.fmut.Lock()
	defer m.fmut.Unlock()
	if _, ok := m.folderRunners[cfg.ID]; ok {
		return
	}
	m.addFolderLocked(cfg)
}

func (m *Model) addFolderLocked(cfg FolderConfiguration) {
	f := newFolder(m, cfg)
	m.folderRunners[cfg.ID] = f
	go f.Serve()
}

// RemoveFolder stops the folder and forgets what the database knows about it.
func (m *Model) RemoveFolder(id string) {
	m.fmut.Lock()
	defer m.fmut.Unlock()
	m.tearDownFolderLocked(id)
	m.db.dropFolder(id)
}

func (m *Model) tearDownFolderLocked(id string) {
	if f, ok := m.folderRunners[id]; ok {
		f.Stop()
		delete(m.folderRunners, id)
	}
}

// RestartFolder applies a changed configuration.
func (m *Model) RestartFolder(cfg FolderConfiguration) {
	m.fmut.Lock()
	defer m.fmut.Unlock()
	m.tearDownFolderLocked(cfg.ID)
	m.addFolderLocked(cfg)
}
