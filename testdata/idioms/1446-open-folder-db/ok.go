// Package sqlite keeps one database for each folder.
package sqlite

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var errNoSuchFolder = errors.New("no such folder")

// Opener opens the database in the named file.
type Opener func(folder, path string) (Conn, error)

// Conn is an open database.
type Conn interface {
	Put(key, value string) error
	Get(key string) (string, error)
}

type folderDB struct {
	updateLock sync.Mutex
	conn       Conn
	seq        int64
}

func (f *folderDB) update(key, value string) error {
	f.updateLock.Lock()
	defer f.updateLock.Unlock()
	if err := f.conn.Put(key, value); err != nil {
		return err
	}
	f.seq++
	return nil
}

// DB is the main database.
type DB struct {
	open Opener

	namesMut sync.Mutex
	names    map[string]string // folder -> database name, as it is on disk
	nextIdx  int

	folderDBsMut sync.RWMutex
	folderDBs    map[string]*folderDB // never shrinks
}

// New returns the main database with the names that exist already.
func New(open Opener, names map[string]string) *DB {
	s := &DB{open: open, names: make(map[string]string), folderDBs: make(map[string]*folderDB)}
	for k, v := range names {
		s.names[k] = v
		s.nextIdx++
	}
	return s
}

func (s *DB) databaseName(folder string) string {
	s.namesMut.Lock()
	defer s.namesMut.Unlock()
	return s.names[folder]
}

// assignName is only called by getFolderDB, under folderDBsMut.
func (s *DB) assignName(folder string) string {
	s.namesMut.Lock()
	defer s.namesMut.Unlock()
	s.nextIdx++
	name := fmt.Sprintf("folder.%04x-%x.db", s.nextIdx, time.Now().UnixNano())
	s.names[folder] = name
	return name
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

	s.folderDBsMut.Lock()
	defer s.folderDBsMut.Unlock()
	if fdb, ok := s.folderDBs[folder]; ok {
		return fdb, nil
	}
	if dbName = s.databaseName(folder); dbName == "" {
		// First time we want to access this folder
		dbName = s.assignName(folder)
	}
	conn, err := s.open(folder, dbName)
	if err != nil {
		return nil, err
	}
	fdb = &folderDB{conn: conn}
	s.folderDBs[folder] = fdb
	return fdb, nil
}

// Update stores a value in the database of a folder.
func (s *DB) Update(folder, key, value string) error {
	fdb, err := s.getFolderDB(folder, true)
	if err != nil {
		return err
	}
	return fdb.update(key, value)
}

// Get reads a value. Unknown folders are empty.
func (s *DB) Get(folder, key string) (string, error) {
	fdb, err := s.getFolderDB(folder, false)
	if errors.Is(err, errNoSuchFolder) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return fdb.conn.Get(key)
}
