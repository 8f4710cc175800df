// Package bug stores the index of shared folders.
package bug

import (
	"encoding/binary"
	"log"
	"math/rand/v2"
	"sync"
)

// LocalDevice names this device in the database.
const LocalDevice = "local"

// DB is a key value store that is safe for concurrent use.
type DB struct {
	mu   sync.RWMutex
	data map[string][]byte
}

// NewDB returns an empty database.
func NewDB() *DB { return &DB{data: make(map[string][]byte)} }

func (db *DB) get(key string) ([]byte, bool) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	v, ok := db.data[key]
	return v, ok
}

func (db *DB) put(key string, value []byte) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.data[key] = value
}

func indexKey(device, folder string) string { return "index/" + device + "/" + folder }

func (db *DB) indexID(device, folder string) uint64 {
	v, ok := db.get(indexKey(device, folder))
	if !ok || len(v) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(v)
}

func (db *DB) setIndexID(device, folder string, id uint64) {
	db.put(indexKey(device, folder), binary.BigEndian.AppendUint64(nil, id))
}

// FileSet is the index of one folder.
type FileSet struct {
	folder string
	db     *DB
}

// newFileSet opens the index of a folder.
func newFileSet(folder string, db *DB) *FileSet {
	return &FileSet{folder: folder, db: db}
}

// IndexID returns the identity of the index that device has for the folder.
func (s *FileSet) IndexID(device string) uint64 {
	id := s.db.indexID(device, s.folder)
	if id == 0 && device == LocalDevice {
		// There is none yet. We create one now.
		id = rand.Uint64() | 1
		s.db.setIndexID(device, s.folder, id)
	}
	return id
}

// SetIndexID stores the identity that a remote device has announced.
func (s *FileSet) SetIndexID(device string, id uint64) {
	if device == LocalDevice {
		panic("do not set the index ID of the local device")
	}
	s.db.setIndexID(device, s.folder, id)
}

// Announcement tells a device which index to expect.
type Announcement struct {
	Folder string
	Local  uint64
	Remote uint64
}

// Conn sends announcements to one device.
type Conn interface {
	Device() string
	Announce([]Announcement) error
}

// Model owns the folders.
type Model struct {
	db *DB

	mu      sync.RWMutex
	folders map[string]*FileSet
}

// NewModel returns a model without folders.
func NewModel(db *DB) *Model { return &Model{db: db, folders: make(map[string]*FileSet)} }

// AddFolder starts to share a folder.
func (m *Model) AddFolder(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.folders[name]; !ok {
		m.folders[name] = newFileSet(name, m.db)
	}
}

// Connected announces all folders to a new connection.
func (m *Model) Connected(c Conn) {
	m.mu.RLock()
	sets := make([]*FileSet, 0, len(m.folders))
	for _, s := range m.folders {
		sets = append(sets, s)
	}
	m.mu.RUnlock()
	go func() {
		var list []Announcement
		for _, s := range sets {
			list = append(list, Announcement{s.folder, s.IndexID(LocalDevice), s.IndexID(c.Device())})
		}
		if err := c.Announce(list); err != nil {
			log.Printf("announcing to %s: %v", c.Device(), err)
		}
	}()
}
