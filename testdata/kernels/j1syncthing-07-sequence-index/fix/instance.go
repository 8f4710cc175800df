package db

import (
	"slices"
	"sync"
)

// FileInfo is what we know about a local file.
type FileInfo struct {
	Name     string
	Version  uint64
	Deleted  bool
	Sequence int64
}

// Instance is the database. Each operation is atomic.
type Instance struct {
	mut       sync.RWMutex
	files     map[string]FileInfo // name -> latest
	sequences map[int64]string    // sequence -> name
}

// OpenMemory returns an empty database.
func OpenMemory() *Instance {
	return &Instance{files: make(map[string]FileInfo), sequences: make(map[int64]string)}
}

func (db *Instance) getFile(name string) (FileInfo, bool) {
	db.mut.RLock()
	defer db.mut.RUnlock()
	f, ok := db.files[name]
	return f, ok
}

func (db *Instance) updateFiles(fs []FileInfo) {
	db.mut.Lock()
	defer db.mut.Unlock()
	for _, f := range fs {
		db.files[f.Name] = f
	}
}

func (db *Instance) addSequences(fs []FileInfo) {
	db.mut.Lock()
	defer db.mut.Unlock()
	for _, f := range fs {
		db.sequences[f.Sequence] = f.Name
	}
}

func (db *Instance) removeSequences(fs []FileInfo) {
	db.mut.Lock()
	defer db.mut.Unlock()
	for _, f := range fs {
		delete(db.sequences, f.Sequence)
	}
}

// sequencesFrom returns the part of the sequence index that starts at a
// sequence, in order.
func (db *Instance) sequencesFrom(start int64) (seqs []int64, names []string) {
	db.mut.RLock()
	defer db.mut.RUnlock()
	for seq := range db.sequences {
		if seq >= start {
			seqs = append(seqs, seq)
		}
	}
	slices.Sort(seqs)
	for _, seq := range seqs {
		names = append(names, db.sequences[seq])
	}
	return seqs, names
}

// withHaveSequence calls fn for the files in the order of their changes.
func (db *Instance) withHaveSequence(start int64, fn func(seq int64, f FileInfo) bool) {
	seqs, names := db.sequencesFrom(start)
	for i, name := range names {
		f, ok := db.getFile(name)
		if !ok {
			continue // missing file for sequence number
		}
		if !fn(seqs[i], f) {
			return
		}
	}
}
