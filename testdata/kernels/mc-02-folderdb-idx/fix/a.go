package a

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
)

var errNoSuchFolder = errors.New("no such folder")

type folderRow struct {
	idx          int64
	folderID     string
	databaseName string
	indexID      uint64
}

// baseDB executes single statements, each of them atomically.
type baseDB struct {
	mut  sync.Mutex
	rows []*folderRow
	next int64
}

func (b *baseDB) selectIdx(folder string) (int64, bool) {
	b.mut.Lock()
	defer b.mut.Unlock()
	for _, r := range b.rows {
		if r.folderID == folder {
			return r.idx, true
		}
	}
	return 0, false
}

func (b *baseDB) selectName(folder string) string {
	b.mut.Lock()
	defer b.mut.Unlock()
	for _, r := range b.rows {
		if r.folderID == folder {
			return r.databaseName
		}
	}
	return ""
}

func (b *baseDB) insertFolder(folder string) int64 {
	b.mut.Lock()
	defer b.mut.Unlock()
	b.next++
	b.rows = append(b.rows, &folderRow{idx: b.next, folderID: folder})
	return b.next
}

func (b *baseDB) update(idx int64, fn func(*folderRow)) {
	b.mut.Lock()
	defer b.mut.Unlock()
	for _, r := range b.rows {
		if r.idx == idx {
			fn(r)
		}
	}
}

type folderDB struct {
	folder string
	path   string
}

// DB is the main database, with one database per folder beside it.
type DB struct {
	pathBase string
	base     baseDB

	// updateLock serializes multi statement updates of the main database
	updateLock sync.Mutex

	folderDBsMut sync.RWMutex
	folderDBs    map[string]*folderDB
}

func (s *DB) getFolderDB(folder string, create bool) (*folderDB, error) {
	// Check for an already open database
	s.folderDBsMut.RLock()
	fdb, ok := s.folderDBs[folder]
	s.folderDBsMut.RUnlock()
	if ok {
		return fdb, nil
	}

	dbName := s.base.selectName(folder)
	if dbName == "" && !create {
		return nil, errNoSuchFolder
	}

	// Create a folder ID and database if it does not already exist
	s.folderDBsMut.Lock()
	defer s.folderDBsMut.Unlock()
	if fdb, ok := s.folderDBs[folder]; ok {
		return fdb, nil
	}

	if dbName == "" {
		// First time we want to access this folder, need to create a new
		// folder ID
		s.updateLock.Lock()
		defer s.updateLock.Unlock()
		idx, err := s.folderIdxLocked(folder)
		if err != nil {
			return nil, err
		}
		dbName = fmt.Sprintf("folder.%04x.db", idx)
		s.base.update(idx, func(r *folderRow) { r.databaseName = dbName })
	}

	fdb = &folderDB{folder: folder, path: filepath.Join(s.pathBase, dbName)}
	s.folderDBs[folder] = fdb
	return fdb, nil
}

// folderIdxLocked returns the index of the folder, creating it as needed.
func (s *DB) folderIdxLocked(folder string) (int64, error) {
	if folder == "" {
		return 0, errNoSuchFolder
	}
	if idx, ok := s.base.selectIdx(folder); ok {
		return idx, nil
	}
	return s.base.insertFolder(folder), nil
}

// SetIndexID sets the index ID of the folder.
func (s *DB) SetIndexID(folder string, id uint64) error {
	s.updateLock.Lock()
	defer s.updateLock.Unlock()
	idx, err := s.folderIdxLocked(folder)
	if err != nil {
		return err
	}
	s.base.update(idx, func(r *folderRow) { r.indexID = id })
	return nil
}

// Update opens the folder's database, creating it the first time.
func (s *DB) Update(folder string) (string, error) {
	fdb, err := s.getFolderDB(folder, true)
	if err != nil {
		return "", err
	}
	return fdb.path, nil
}
