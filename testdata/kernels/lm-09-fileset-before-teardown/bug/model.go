package model

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var errFolderMissing = errors.New("no such folder")

type FileInfo struct {
	Name     string
	Version  uint64
	Deleted  bool
	Sequence int64
}

type Lowlevel struct {
	mut   sync.RWMutex
	files map[string]map[string]FileInfo
	metas map[string]meta
}

func NewLowlevel() *Lowlevel {
	return &Lowlevel{
		files: make(map[string]map[string]FileInfo),
		metas: make(map[string]meta),
	}
}

type meta struct {
	sequence int64
	count    int
}

func (ll *Lowlevel) readMeta(folder string) (meta, bool) {
	ll.mut.RLock()
	defer ll.mut.RUnlock()
	m, ok := ll.metas[folder]
	return m, ok
}

func (ll *Lowlevel) get(folder, name string) (FileInfo, bool) {
	ll.mut.RLock()
	defer ll.mut.RUnlock()
	f, ok := ll.files[folder][name]
	return f, ok
}

func (ll *Lowlevel) put(folder string, fs []FileInfo, m meta) {
	ll.mut.Lock()
	defer ll.mut.Unlock()
	if ll.files[folder] == nil {
		ll.files[folder] = make(map[string]FileInfo)
	}
	for _, f := range fs {
		ll.files[folder][f.Name] = f
	}
	ll.metas[folder] = m
}

func (ll *Lowlevel) forEach(folder string, fn func(FileInfo)) {
	ll.mut.RLock()
	defer ll.mut.RUnlock()
	for _, f := range ll.files[folder] {
		fn(f)
	}
}

type metadataTracker struct {
	mut sync.RWMutex
	meta
}

func (m *metadataTracker) fromDB(db *Lowlevel, folder string) error {
	stored, ok := db.readMeta(folder)
	if !ok {
		return errFolderMissing
	}
	m.mut.Lock()
	m.meta = stored
	m.mut.Unlock()
	return nil
}

func (m *metadataTracker) nextLocalSeq() int64 {
	m.mut.Lock()
	defer m.mut.Unlock()
	m.sequence++
	return m.sequence
}

func (m *metadataTracker) addFile(f FileInfo) {
	m.mut.Lock()
	defer m.mut.Unlock()
	if f.Sequence > m.sequence {
		m.sequence = f.Sequence
	}
	if !f.Deleted {
		m.count++
	}
}

func (m *metadataTracker) snapshot() meta {
	m.mut.RLock()
	defer m.mut.RUnlock()
	return m.meta
}

type FileSet struct {
	folder string
	db     *Lowlevel
	meta   *metadataTracker

	updateMutex sync.Mutex // protects database updates and the corresponding metadata changes
}

func NewFileSet(folder string, ll *Lowlevel) *FileSet {
	s := &FileSet{folder: folder, db: ll, meta: &metadataTracker{}}
	if err := s.meta.fromDB(ll, folder); err != nil {
		s.recalcCounts()
	}
	return s
}

func (s *FileSet) recalcCounts() {
	s.db.forEach(s.folder, func(f FileInfo) { s.meta.addFile(f) })
}

func (s *FileSet) Update(fs []FileInfo) {
	fs = append([]FileInfo(nil), fs...)
	s.updateMutex.Lock()
	defer s.updateMutex.Unlock()
	for i := range fs {
		fs[i].Sequence = s.meta.nextLocalSeq()
		if _, ok := s.db.get(s.folder, fs[i].Name); !ok {
			s.meta.addFile(fs[i])
		}
	}
	s.db.put(s.folder, fs, s.meta.snapshot())
}

func (s *FileSet) Sequence() int64 { return s.meta.snapshot().sequence }

type FolderConfiguration struct {
	ID     string
	Paused bool
}

type folder struct {
	FolderConfiguration
	fset  *FileSet
	scans chan []FileInfo
	stop  context.CancelFunc
	done  chan struct{}
}

func newFolder(cfg FolderConfiguration, fset *FileSet) *folder {
	f := &folder{FolderConfiguration: cfg, fset: fset, scans: make(chan []FileInfo), done: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	f.stop = cancel
	go f.serve(ctx)
	return f
}

func (f *folder) serve(ctx context.Context) {
	defer close(f.done)
	for {
		select {
		case changed := <-f.scans:
			f.fset.Update(changed)
		case <-ctx.Done():
			return
		}
	}
}

func (f *folder) removeAndWait() {
	f.stop()
	<-f.done
}

type model struct {
	db *Lowlevel

	fmut              sync.RWMutex // protects the below
	folderCfgs        map[string]FolderConfiguration
	folderFiles       map[string]*FileSet
	folderRunners     map[string]*folder
	folderRestartMuts syncMutexMap // folder -> restart mutex
}

func newModel(db *Lowlevel) *model {
	return &model{
		db:            db,
		folderCfgs:    make(map[string]FolderConfiguration),
		folderFiles:   make(map[string]*FileSet),
		folderRunners: make(map[string]*folder),
	}
}

type syncMutexMap struct{ inner sync.Map }

func (m *syncMutexMap) Get(key string) *sync.Mutex {
	v, _ := m.inner.LoadOrStore(key, new(sync.Mutex))
	return v.(*sync.Mutex)
}

func (m *model) addFolderLocked(cfg FolderConfiguration, fset *FileSet) {
	m.folderCfgs[cfg.ID] = cfg
	m.folderFiles[cfg.ID] = fset
}

func (m *model) startFolderLocked(cfg FolderConfiguration) {
	m.folderRunners[cfg.ID] = newFolder(cfg, m.folderFiles[cfg.ID])
}

func (m *model) tearDownFolderLocked(cfg FolderConfiguration) {
	runner, ok := m.folderRunners[cfg.ID]
	m.fmut.Unlock()
	if ok {
		runner.removeAndWait()
	}
	m.fmut.Lock()

	delete(m.folderCfgs, cfg.ID)
	delete(m.folderFiles, cfg.ID)
	delete(m.folderRunners, cfg.ID)
}

func (m *model) RestartFolder(from, to FolderConfiguration) {
	if to.ID != from.ID {
		panic(fmt.Sprintf("bug: folder restart cannot change ID %q -> %q", from.ID, to.ID))
	}

	restartMut := m.folderRestartMuts.Get(to.ID)
	restartMut.Lock()
	defer restartMut.Unlock()

	var fset *FileSet
	if !to.Paused {
		fset = NewFileSet(to.ID, m.db)
	}

	m.fmut.Lock()
	defer m.fmut.Unlock()

	m.tearDownFolderLocked(from)
	if !to.Paused {
		m.addFolderLocked(to, fset)
		m.startFolderLocked(to)
	}
}

func (m *model) ScanFolder(id string, changed []FileInfo) error {
	m.fmut.RLock()
	runner, ok := m.folderRunners[id]
	m.fmut.RUnlock()
	if !ok {
		return errFolderMissing
	}
	select {
	case runner.scans <- changed:
		return nil
	case <-runner.done:
		return errFolderMissing
	}
}
