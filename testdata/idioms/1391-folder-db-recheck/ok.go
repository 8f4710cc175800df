package sqlite

import (
	"errors"
	"fmt"
	"sync"
)

var errNoSuchFolder = errors.New("no such folder")

type folderDB struct {
	path string
}

// names stands for the folders table of the main database.
type names struct {
	mu   sync.Mutex
	next int
	m    map[string]string
}

func (n *names) get(folder string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.m[folder]
}

func (n *names) create(folder string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next++
	name := fmt.Sprintf("folder.%04x.db", n.next)
	n.m[folder] = name
	return name
}

type DB struct {
	names *names
	open  func(folder, path string) (*folderDB, error)

	folderDBsMut sync.RWMutex
	folderDBs    map[string]*folderDB
}

func Open(open func(folder, path string) (*folderDB, error)) *DB {
	return &DB{
		names:     &names{m: make(map[string]string)},
		open:      open,
		folderDBs: make(map[string]*folderDB),
	}
}

func (s *DB) getFolderDB(folder string, create bool) (*folderDB, error) {
	// Check for an already open database
	s.folderDBsMut.RLock()
	fdb, ok := s.folderDBs[folder]
	s.folderDBsMut.RUnlock()
	if ok {
		return fdb, nil
	}

	dbName := s.names.get(folder)
	if dbName == "" && !create {
		return nil, errNoSuchFolder
	}

	s.folderDBsMut.Lock()
	defer s.folderDBsMut.Unlock()
	if fdb, ok := s.folderDBs[folder]; ok {
		return fdb, nil
	}
	if dbName == "" {
		dbName = s.names.get(folder)
	}
	if dbName == "" {
		dbName = s.names.create(folder)
	}
	fdb, err := s.open(folder, dbName)
	if err != nil {
		return nil, err
	}
	s.folderDBs[folder] = fdb
	return fdb, nil
}

func (s *DB) Update(folder string) error {
	_, err := s.getFolderDB(folder, true)
	return err
}

func (s *DB) Has(folder string) bool {
	_, err := s.getFolderDB(folder, false)
	return err == nil
}
