package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"log"
	"sync"
)

var errFolderMissing = errors.New("no such folder")

// A fileset keeps the files of a folder as they are known in the database. All
// methods are safe for concurrent use.
type fileSet struct {
	mut      sync.RWMutex
	files    map[string]FileInfo
	sequence int64
}

func newFileSet() *fileSet {
	return &fileSet{files: make(map[string]FileInfo)}
}

func (s *fileSet) Get(name string) (FileInfo, bool) {
	s.mut.RLock()
	defer s.mut.RUnlock()
	f, ok := s.files[name]
	return f, ok
}

// Update stores the given records, each with a new sequence number.
func (s *fileSet) Update(fs []FileInfo) {
	s.mut.Lock()
	defer s.mut.Unlock()
	for _, f := range fs {
		s.sequence++
		f.Sequence = s.sequence
		s.files[f.Name] = f
	}
}

type BlockInfo struct {
	Offset int64
	Hash   []byte
}

type FileInfo struct {
	Name       string
	Version    uint64
	Deleted    bool
	MustRescan bool
	ModifiedBy uint64
	Sequence   int64
	BlockSize  int
	Blocks     []BlockInfo
}

func (f *FileInfo) SetMustRescan(by uint64) {
	f.MustRescan = true
	f.ModifiedBy = by
	f.Blocks = nil
}

// Filesystem is the part of the file system that is shared.
type Filesystem interface {
	Hash(name string, blockSize int) ([]BlockInfo, error)
	ReadAt(name string, offset int64, buf []byte) (int, error)
	Write(name string, blocks []BlockInfo) error
}

type Model struct {
	fmut          sync.RWMutex
	folderFiles   map[string]*fileSet
	folderFs      map[string]Filesystem
	folderRunners map[string]*sharedFolder
	shortID       uint64
}

func NewModel(shortID uint64) *Model {
	return &Model{
		folderFiles:   make(map[string]*fileSet),
		folderFs:      make(map[string]Filesystem),
		folderRunners: make(map[string]*sharedFolder),
		shortID:       shortID,
	}
}

// AddFolder adds the folder and starts its loop.
func (m *Model) AddFolder(ctx context.Context, id string, fs Filesystem) {
	m.fmut.Lock()
	defer m.fmut.Unlock()
	fset := newFileSet()
	f := newFolder(ctx, id, m.shortID, fset, fs)
	m.folderFiles[id] = fset
	m.folderFs[id] = fs
	m.folderRunners[id] = f
	go f.serve()
}

// Index is called by the connection with the newer files of a peer.
func (m *Model) Index(folder string, files []FileInfo) error {
	m.fmut.RLock()
	runner, ok := m.folderRunners[folder]
	m.fmut.RUnlock()
	if !ok {
		return errFolderMissing
	}
	runner.SchedulePull(files)
	return nil
}

// ScanFolder is called by the API.
func (m *Model) ScanFolder(folder string, subs []string) error {
	m.fmut.RLock()
	runner, ok := m.folderRunners[folder]
	m.fmut.RUnlock()
	if !ok {
		return errFolderMissing
	}
	return runner.Scan(subs)
}

func (m *Model) CurrentFolderFile(folder string, file string) (FileInfo, bool) {
	m.fmut.RLock()
	fs, ok := m.folderFiles[folder]
	m.fmut.RUnlock()
	if !ok {
		return FileInfo{}, false
	}
	return fs.Get(file)
}

// Request returns the specified data segment by reading it from local disk. It
// runs on a goroutine of its own for each request of a peer.
func (m *Model) Request(folder, name string, size int, offset int64, hash []byte) ([]byte, error) {
	m.fmut.RLock()
	folderFs, ok := m.folderFs[folder]
	m.fmut.RUnlock()
	if !ok {
		return nil, errFolderMissing
	}
	buf := make([]byte, size)
	n, err := folderFs.ReadAt(name, offset, buf)
	if err != nil {
		return nil, err
	}
	buf = buf[:n]
	if sum := sha256.Sum256(buf); len(hash) > 0 && !bytes.Equal(sum[:], hash) {
		m.recheckFile(folder, name, offset, hash)
		return nil, errors.New("no such file")
	}
	return buf, nil
}

func (m *Model) recheckFile(folder, name string, offset int64, hash []byte) {
	cf, ok := m.CurrentFolderFile(folder, name)
	if !ok {
		log.Printf("recheckFile: %q / %q: no current file", folder, name)
		return
	}

	if cf.Deleted || cf.MustRescan {
		log.Printf("recheckFile: %q / %q: not a regular file", folder, name)
		return
	}

	blockIndex := int(offset / int64(cf.BlockSize))
	if blockIndex >= len(cf.Blocks) {
		log.Printf("recheckFile: %q / %q i=%d: block index too far", folder, name, blockIndex)
		return
	}

	block := cf.Blocks[blockIndex]

	// Seems to want a different version of the file, whatever.
	if !bytes.Equal(block.Hash, hash) {
		log.Printf("recheckFile: %q / %q i=%d: hash mismatch %x != %x", folder, name, blockIndex, block.Hash, hash)
		return
	}

	// The hashes provided part of the request match what we expect to find according
	// to what we have in the database, yet the content we've read off the filesystem doesn't
	// Something is fishy, invalidate the file and rescan it.
	// The file will temporarily become invalid, which is ok as the content is messed up.
	m.fmut.RLock()
	runner, ok := m.folderRunners[folder]
	m.fmut.RUnlock()
	if !ok {
		log.Printf("recheckFile: %q / %q: Folder stopped before rescan could be scheduled", folder, name)
		return
	}
	runner.ScheduleForceRescan(name)
}
