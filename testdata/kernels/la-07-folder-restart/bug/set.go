package model

import (
	"sync"
)

type FileInfo struct {
	Name     string
	Size     int64
	Deleted  bool
	Sequence int64
}

type folderCounts struct {
	Files int
	Bytes int64
}

// Lowlevel is the database that the file sets of all folders share.
type Lowlevel struct {
	mut   sync.Mutex
	files map[string]map[string]FileInfo // folder -> name -> file
	seqs  map[string]map[int64]string    // folder -> sequence -> name
	meta  map[string]metadata            // folder -> persisted metadata
}

type metadata struct {
	sequence int64
	counts   folderCounts
}

func NewLowlevel() *Lowlevel {
	return &Lowlevel{
		files: make(map[string]map[string]FileInfo),
		seqs:  make(map[string]map[int64]string),
		meta:  make(map[string]metadata),
	}
}

// loadMetadataTracker returns the metadata as it is in the database.
func (db *Lowlevel) loadMetadataTracker(folder string) *metadataTracker {
	db.mut.Lock()
	defer db.mut.Unlock()
	return &metadataTracker{cur: db.meta[folder]}
}

// updateLocalFiles writes the files and the metadata in one transaction.
func (db *Lowlevel) updateLocalFiles(folder string, fs []FileInfo, meta *metadataTracker) {
	db.mut.Lock()
	defer db.mut.Unlock()
	meta.mut.Lock()
	defer meta.mut.Unlock()

	files := db.files[folder]
	if files == nil {
		files = make(map[string]FileInfo)
		db.files[folder] = files
		db.seqs[folder] = make(map[int64]string)
	}
	for _, f := range fs {
		if old, ok := files[f.Name]; ok {
			meta.removeFile(old)
			delete(db.seqs[folder], old.Sequence)
		}
		f.Sequence = meta.nextSeq()
		meta.addFile(f)
		files[f.Name] = f
		db.seqs[folder][f.Sequence] = f.Name
	}
	db.meta[folder] = meta.cur
}

func (db *Lowlevel) withSequence(folder string, start int64, fn func(FileInfo) bool) {
	db.mut.Lock()
	defer db.mut.Unlock()
	end := db.meta[folder].sequence
	for seq := start; seq <= end; seq++ {
		name, ok := db.seqs[folder][seq]
		if !ok {
			continue
		}
		if !fn(db.files[folder][name]) {
			return
		}
	}
}

// metadataTracker keeps metadata on a per device, per local flag basis.
type metadataTracker struct {
	mut sync.Mutex
	cur metadata
}

// Must be called with the mutex held.
func (m *metadataTracker) nextSeq() int64 {
	m.cur.sequence++
	return m.cur.sequence
}

// Must be called with the mutex held.
func (m *metadataTracker) addFile(f FileInfo) {
	m.cur.counts.Files++
	m.cur.counts.Bytes += f.Size
}

// Must be called with the mutex held.
func (m *metadataTracker) removeFile(f FileInfo) {
	m.cur.counts.Files--
	m.cur.counts.Bytes -= f.Size
}

func (m *metadataTracker) snapshot() metadata {
	m.mut.Lock()
	defer m.mut.Unlock()
	return m.cur
}

// FileSet tracks the files of one folder.
type FileSet struct {
	folder string
	db     *Lowlevel
	meta   *metadataTracker

	updateMutex sync.Mutex // protects database updates and the corresponding metadata changes
}

func NewFileSet(folder string, db *Lowlevel) *FileSet {
	return &FileSet{
		folder: folder,
		db:     db,
		meta:   db.loadMetadataTracker(folder),
	}
}

func (s *FileSet) Update(fs []FileInfo) {
	s.updateMutex.Lock()
	defer s.updateMutex.Unlock()
	s.db.updateLocalFiles(s.folder, fs, s.meta)
}

func (s *FileSet) Sequence() int64 {
	return s.meta.snapshot().sequence
}

func (s *FileSet) LocalSize() folderCounts {
	return s.meta.snapshot().counts
}

func (s *FileSet) WithHaveSequence(start int64, fn func(FileInfo) bool) {
	s.db.withSequence(s.folder, start, fn)
}
