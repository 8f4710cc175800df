package model

import "sync"

// FileSet is the index of one folder.
type FileSet struct {
	mut      sync.Mutex
	closed   bool
	indexID  map[DeviceID]uint64
	sequence map[DeviceID]int64
}

// NewFileSet returns an empty index with the given ID for the local device.
func NewFileSet(indexID uint64) *FileSet {
	return &FileSet{
		indexID:  map[DeviceID]uint64{localDevice: indexID},
		sequence: make(map[DeviceID]int64),
	}
}

// Index returns the index ID and the sequence of a device. It panics on a
// closed file set, the database behind it is gone.
func (s *FileSet) Index(id DeviceID) (uint64, int64) {
	s.mut.Lock()
	defer s.mut.Unlock()
	if s.closed {
		panic("file set is closed")
	}
	return s.indexID[id], s.sequence[id]
}

func (s *FileSet) close() {
	s.mut.Lock()
	s.closed = true
	s.mut.Unlock()
}
