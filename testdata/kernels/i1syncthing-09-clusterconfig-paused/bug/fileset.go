package model

import (
	"math/rand/v2"
	"sync"
)

// FileSet is the index of one folder.
type FileSet struct {
	mut      sync.Mutex
	sequence map[DeviceID]int64
	indexID  map[DeviceID]uint64
}

func newFileSet(local DeviceID) *FileSet {
	return &FileSet{
		sequence: make(map[DeviceID]int64),
		indexID:  map[DeviceID]uint64{local: rand.Uint64()},
	}
}

// Index returns the index ID and the sequence of a device.
func (s *FileSet) Index(device DeviceID) (uint64, int64) {
	s.mut.Lock()
	defer s.mut.Unlock()
	return s.indexID[device], s.sequence[device]
}
