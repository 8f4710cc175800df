package a

import (
	"errors"
	"fmt"
	"math/rand"
	"path/filepath"
	"sync"
)

var errNoSuchFolder = errors.New("no such folder")

// folderDB is the database of one folder.
type folderDB struct {
	path string

	mut   sync.Mutex
	files map[string]int64
}

func openFolderDB(path string) *folderDB {
	return &folderDB{path: path, files: map[string]int64{}}
}

func (f *folderDB) Update(name string, seq int64) {
	f.mut.Lock()
	defer f.mut.Unlock()
	f.files[name] = max(f.files[name], seq)
}

func (f *folderDB) Sequence(name string) int64 {
	f.mut.Lock()
	defer f.mut.Unlock()
	return f.files[name]
}

// DB is the main database.
type DB struct {
	pathBase string

	folderDBsMut sync.RWMutex
	folderDBs    map[string]*folderDB

	namesMut sync.RWMutex
	names    map[string]string // folder ID to database name; a name never changes
}

func Open(pathBase string, names map[string]string) *DB {
	return &DB{pathBase: pathBase, folderDBs: map[string]*folderDB{}, names: names}
}

func (s *DB) databaseName(folder string) string {
	s.namesMut.RLock()
	defer s.namesMut.RUnlock()
	return s.names[folder]
}

func (s *DB) setDatabaseName(folder, name string) {
	s.namesMut.Lock()
	defer s.namesMut.Unlock()
	s.names[folder] = name
}

func (s *DB) getFolderDB(folder string, create bool) (*folderDB, error) {
	// Check for an already open database
	s.folderDBsMut.RLock()
	fdb, ok := s.folderDBs[folder]
	s.folderDBsMut.RUnlock()
	if ok {
		return fdb, nil
	}

	// Check for an existing database. If we're not supposed to create the
	// folder, we don't move on if it doesn't already have a database name.
	dbName := s.databaseName(folder)
	if dbName == "" && !create {
		return nil, errNoSuchFolder
	}

	// Create a folder database if it does not already exist
	s.folderDBsMut.Lock()
	defer s.folderDBsMut.Unlock()
	if fdb, ok := s.folderDBs[folder]; ok {
		return fdb, nil
	}

	if dbName == "" {
		// First time we want to access this folder. The database name is a
		// random slug.
		dbName = fmt.Sprintf("folder-%08x.db", rand.Uint32())
		s.setDatabaseName(folder, dbName)
	}

	fdb = openFolderDB(filepath.Join(s.pathBase, dbName))
	s.folderDBs[folder] = fdb
	return fdb, nil
}

// Update notes the sequence of a file.
func (s *DB) Update(folder, name string, seq int64) error {
	fdb, err := s.getFolderDB(folder, true)
	if err != nil {
		return err
	}
	fdb.Update(name, seq)
	return nil
}

// Sequence returns the highest sequence of a file.
func (s *DB) Sequence(folder, name string) (int64, error) {
	fdb, err := s.getFolderDB(folder, false)
	if err != nil {
		return 0, err
	}
	return fdb.Sequence(name), nil
}
