// Package db has the index of a folder, and sends it to other devices.
package db

import (
	"sync"
	"sync/atomic"
)

// FileSet is the set of the files of a folder.
type FileSet struct {
	db       *Instance
	sequence atomic.Int64 // the last one that was given out

	updateMutex sync.Mutex // serializes updates

	subMut sync.Mutex
	subs   map[chan struct{}]struct{}
}

// NewFileSet returns the set of files that is in the database.
func NewFileSet(db *Instance) *FileSet {
	s := &FileSet{db: db, subs: make(map[chan struct{}]struct{})}
	if seqs, _ := db.sequencesFrom(0); len(seqs) > 0 {
		s.sequence.Store(seqs[len(seqs)-1])
	}
	return s
}

// Update stores files that were changed locally.
func (s *FileSet) Update(fs []FileInfo) {
	s.updateMutex.Lock()
	defer s.updateMutex.Unlock()

	discards := make([]FileInfo, 0, len(fs))
	updates := make([]FileInfo, 0, len(fs))
	for _, nf := range fs {
		ef, ok := s.db.getFile(nf.Name)
		if ok && ef.Version == nf.Version && ef.Deleted == nf.Deleted {
			continue
		}
		nf.Sequence = s.sequence.Add(1)
		if ok {
			discards = append(discards, ef)
		}
		updates = append(updates, nf)
	}
	s.db.removeSequences(discards)
	s.db.addSequences(updates)
	s.db.updateFiles(updates)
	s.notify()
}

// Sequence returns the sequence of the last change.
func (s *FileSet) Sequence() int64 { return s.sequence.Load() }

// WithHaveSequence calls fn for the files that changed at a sequence or later.
func (s *FileSet) WithHaveSequence(start int64, fn func(seq int64, f FileInfo) bool) {
	s.db.withHaveSequence(start, fn)
}

// subscribe returns a channel that gets a value after updates.
func (s *FileSet) subscribe() chan struct{} {
	ch := make(chan struct{}, 1)
	s.subMut.Lock()
	s.subs[ch] = struct{}{}
	s.subMut.Unlock()
	return ch
}

func (s *FileSet) unsubscribe(ch chan struct{}) {
	s.subMut.Lock()
	delete(s.subs, ch)
	s.subMut.Unlock()
}

func (s *FileSet) notify() {
	s.subMut.Lock()
	defer s.subMut.Unlock()
	for ch := range s.subs {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}
