package model

import "sync"

type FileInfo struct {
	Name       string
	Size       int64
	Version    uint64
	BlocksHash [32]byte
}

// FileSet keeps the files of a folder.
type FileSet struct {
	mut   sync.Mutex
	files map[string]FileInfo
}

func NewFileSet() *FileSet {
	return &FileSet{files: make(map[string]FileInfo)}
}

func (s *FileSet) Update(fs []FileInfo) {
	s.mut.Lock()
	defer s.mut.Unlock()
	for _, f := range fs {
		s.files[f.Name] = f
	}
}

// Snapshot is a view of the files at one time. It must not be used any more after Release.
type Snapshot struct {
	mut   sync.RWMutex
	files map[string]FileInfo
}

func (s *FileSet) Snapshot() *Snapshot {
	s.mut.Lock()
	defer s.mut.Unlock()
	snap := &Snapshot{files: make(map[string]FileInfo, len(s.files))}
	for name, f := range s.files {
		snap.files[name] = f
	}
	return snap
}

// Release gives the snapshot back. It's ok to release twice.
func (s *Snapshot) Release() {
	s.mut.Lock()
	defer s.mut.Unlock()
	s.files = nil
}

func (s *Snapshot) Get(file string) (FileInfo, bool) {
	s.mut.RLock()
	defer s.mut.RUnlock()
	if s.files == nil {
		panic("bug: use of released snapshot")
	}
	f, ok := s.files[file]
	return f, ok
}
