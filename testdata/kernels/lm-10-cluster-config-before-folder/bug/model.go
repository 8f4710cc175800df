package model

import (
	"sync"
)

type DeviceID string

type Device struct {
	ID          DeviceID
	IndexID     uint64
	MaxSequence int64
}

type FolderConfiguration struct {
	ID      string
	Paused  bool
	Devices []DeviceID
}

type ClusterConfigFolder struct {
	ID     string
	Paused bool
	Local  Device
	Remote Device
}

type Wrapper struct {
	mut     sync.Mutex
	folders map[string]FolderConfiguration
}

func (w *Wrapper) Folder(id string) (FolderConfiguration, bool) {
	w.mut.Lock()
	defer w.mut.Unlock()
	f, ok := w.folders[id]
	return f, ok
}

type FileSet struct {
	mut     sync.Mutex
	indexID map[DeviceID]uint64
	seq     map[DeviceID]int64
	update  chan struct{}
}

const localDeviceID = DeviceID("")

func NewFileSet() *FileSet {
	return &FileSet{indexID: make(map[DeviceID]uint64), seq: make(map[DeviceID]int64), update: make(chan struct{}, 1)}
}

func (s *FileSet) Sequence(id DeviceID) int64 {
	s.mut.Lock()
	defer s.mut.Unlock()
	return s.seq[id]
}

func (s *FileSet) Update(id DeviceID, seq int64) {
	s.mut.Lock()
	s.seq[id] = seq
	s.mut.Unlock()
	select {
	case s.update <- struct{}{}:
	default:
	}
}

func (s *FileSet) IndexID(id DeviceID) uint64 {
	s.mut.Lock()
	defer s.mut.Unlock()
	return s.indexID[id]
}

type indexSender struct {
	folder       string
	fset         *FileSet
	prevSequence int64
	send         func(folder string, from, to int64) error
	stopc        chan struct{}
	done         chan struct{}
}

func (s *indexSender) serve() {
	defer close(s.done)
	for {
		if seq := s.fset.Sequence(localDeviceID); seq > s.prevSequence {
			if err := s.send(s.folder, s.prevSequence, seq); err != nil {
				return
			}
			s.prevSequence = seq
		}
		select {
		case <-s.fset.update:
		case <-s.stopc:
			return
		}
	}
}

type indexSenderStartInfo struct {
	local, remote Device
}

type indexSenderRegistry struct {
	deviceID     DeviceID
	send         func(folder string, from, to int64) error
	indexSenders map[string]*indexSender
	startInfos   map[string]*indexSenderStartInfo
	mut          sync.Mutex
}

func newIndexSenderRegistry(id DeviceID, send func(string, int64, int64) error) *indexSenderRegistry {
	return &indexSenderRegistry{
		deviceID:     id,
		send:         send,
		indexSenders: make(map[string]*indexSender),
		startInfos:   make(map[string]*indexSenderStartInfo),
	}
}

func (r *indexSenderRegistry) add(folder string, fset *FileSet, startInfo *indexSenderStartInfo) {
	r.mut.Lock()
	r.addLocked(folder, fset, startInfo)
	r.mut.Unlock()
}

func (r *indexSenderRegistry) addNew(folder string, fset *FileSet) {
	r.mut.Lock()
	r.startLocked(folder, fset, 0)
	r.mut.Unlock()
}

func (r *indexSenderRegistry) addLocked(folder string, fset *FileSet, startInfo *indexSenderStartInfo) {
	var startSequence int64
	if startInfo.local.IndexID == fset.IndexID(localDeviceID) {
		if startInfo.local.MaxSequence <= fset.Sequence(localDeviceID) {
			startSequence = startInfo.local.MaxSequence
		}
	}
	r.startLocked(folder, fset, startSequence)
}

func (r *indexSenderRegistry) stopLocked(folder string) {
	if is, ok := r.indexSenders[folder]; ok {
		close(is.stopc)
		<-is.done
		delete(r.indexSenders, folder)
	}
}

func (r *indexSenderRegistry) startLocked(folder string, fset *FileSet, startSequence int64) {
	r.stopLocked(folder)
	delete(r.startInfos, folder)
	is := &indexSender{
		folder:       folder,
		fset:         fset,
		prevSequence: startSequence,
		send:         r.send,
		stopc:        make(chan struct{}),
		done:         make(chan struct{}),
	}
	go is.serve()
	r.indexSenders[folder] = is
}

func (r *indexSenderRegistry) addPaused(folder string, startInfo *indexSenderStartInfo) {
	r.mut.Lock()
	defer r.mut.Unlock()
	r.stopLocked(folder)
	r.startInfos[folder] = startInfo
}

func (r *indexSenderRegistry) resume(folder string, fset *FileSet) {
	r.mut.Lock()
	defer r.mut.Unlock()
	if info, ok := r.startInfos[folder]; ok {
		r.addLocked(folder, fset, info)
	}
}

type model struct {
	cfg *Wrapper

	fmut        sync.RWMutex // protects the below
	folderCfgs  map[string]FolderConfiguration
	folderFiles map[string]*FileSet

	pmut         sync.RWMutex // protects the below
	indexSenders map[DeviceID]*indexSenderRegistry
}

func newModel(cfg *Wrapper) *model {
	return &model{
		cfg:          cfg,
		folderCfgs:   make(map[string]FolderConfiguration),
		folderFiles:  make(map[string]*FileSet),
		indexSenders: make(map[DeviceID]*indexSenderRegistry),
	}
}

func (m *model) AddConnection(id DeviceID, send func(string, int64, int64) error) {
	m.pmut.Lock()
	defer m.pmut.Unlock()
	m.indexSenders[id] = newIndexSenderRegistry(id, send)
}

func (m *model) newFolder(cfg FolderConfiguration, open func(string) *FileSet) {
	fset := open(cfg.ID)

	m.fmut.Lock()
	defer m.fmut.Unlock()

	// In case this folder is new and was shared with us we already got a
	// cluster config and wont necessarily get another soon - start sending
	// indexes if connected.
	if fset.Sequence(localDeviceID) == 0 {
		m.pmut.RLock()
		for _, id := range cfg.Devices {
			if is, ok := m.indexSenders[id]; ok {
				if fset.Sequence(id) == 0 {
					is.addNew(cfg.ID, fset)
				}
			}
		}
		m.pmut.RUnlock()
	}

	m.folderCfgs[cfg.ID] = cfg
	m.folderFiles[cfg.ID] = fset
}

func (m *model) ClusterConfig(deviceID DeviceID, folders []ClusterConfigFolder) {
	m.pmut.RLock()
	indexSenders, ok := m.indexSenders[deviceID]
	m.pmut.RUnlock()
	if !ok {
		return
	}
	m.ccHandleFolders(folders, indexSenders)
}

func (m *model) ccHandleFolders(folders []ClusterConfigFolder, indexSenders *indexSenderRegistry) {
	for _, folder := range folders {
		cfg, ok := m.cfg.Folder(folder.ID)
		if !ok {
			continue
		}
		info := &indexSenderStartInfo{local: folder.Local, remote: folder.Remote}
		if folder.Paused || cfg.Paused {
			indexSenders.addPaused(cfg.ID, info)
			continue
		}

		m.fmut.RLock()
		fs, ok := m.folderFiles[folder.ID]
		m.fmut.RUnlock()
		if !ok {
			continue
		}

		indexSenders.add(cfg.ID, fs, info)
	}
}
