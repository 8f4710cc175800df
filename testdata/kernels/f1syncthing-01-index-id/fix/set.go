// Package fix keeps the file index of shared folders.
package fix

import (
	"encoding/binary"
	"math/rand"
	"sync"
)

// DeviceID names a device; the zero value is this device.
type DeviceID uint64

// LocalDevice is this device.
const LocalDevice DeviceID = 0

// EpochID identifies one incarnation of an index.
type EpochID uint64

func newEpochID() EpochID { return EpochID(rand.Uint64() | 1) }

// Store is a key-value store that may be used by any number of goroutines.
type Store struct {
	mu   sync.RWMutex
	data map[string][]byte
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{data: make(map[string][]byte)} }

func (s *Store) get(key string) ([]byte, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.data[key]
	return v, ok
}

func (s *Store) put(key string, v []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[key] = v
}

func (s *Store) loadEpoch(dev DeviceID, folder string) EpochID {
	v, ok := s.get(indexKey(dev, folder))
	if !ok {
		return 0
	}
	return EpochID(binary.BigEndian.Uint64(v))
}

func (s *Store) saveEpoch(dev DeviceID, folder string, id EpochID) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(id))
	s.put(indexKey(dev, folder), b[:])
}

func indexKey(dev DeviceID, folder string) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(dev))
	return "ix/" + string(b[:]) + folder
}

// Catalog is the index of one folder.
type Catalog struct {
	folder string
	db     *Store

	mu    sync.Mutex
	files map[DeviceID]map[string]uint64
	seq   uint64
}

// OpenCatalog opens the index of a folder.
func OpenCatalog(folder string, db *Store) *Catalog {
	s := &Catalog{
		folder: folder,
		db:     db,
		files:  make(map[DeviceID]map[string]uint64),
	}
	if s.EpochID(LocalDevice) == 0 {
		s.db.saveEpoch(LocalDevice, s.folder, newEpochID())
	}
	return s
}

// Update sets the versions of files of a device.
func (s *Catalog) Update(dev DeviceID, names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.files[dev]
	if m == nil {
		m = make(map[string]uint64)
		s.files[dev] = m
	}
	for _, n := range names {
		s.seq++
		m[n] = s.seq
	}
}

// Sequence returns the newest version.
func (s *Catalog) Sequence() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seq
}

// EpochID returns the id of the index of a device.
func (s *Catalog) EpochID(dev DeviceID) EpochID {
	return s.db.loadEpoch(dev, s.folder)
}

// SetEpoch stores the id that another device has announced.
func (s *Catalog) SetEpoch(dev DeviceID, id EpochID) {
	if dev == LocalDevice {
		panic("do not set the index id of the local device")
	}
	s.db.saveEpoch(dev, s.folder, id)
}

// Announcement is the first message on a connection.
type Announcement struct {
	Folder   string
	LocalID  EpochID
	RemoteID EpochID
	MaxSeq   uint64
}

// Node has folders and connections.
type Node struct {
	mu      sync.RWMutex
	db      *Store
	folders map[string]*Catalog
}

// NewNode returns a node without folders.
func NewNode(db *Store) *Node { return &Node{db: db, folders: make(map[string]*Catalog)} }

// AddFolder opens a folder.
func (n *Node) AddFolder(folder string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := n.folders[folder]; !ok {
		n.folders[folder] = OpenCatalog(folder, n.db)
	}
}

// Connected is called on the goroutine of each new connection.
func (n *Node) Connected(dev DeviceID, send func(Announcement)) {
	n.mu.RLock()
	sets := make([]*Catalog, 0, len(n.folders))
	for _, fs := range n.folders {
		sets = append(sets, fs)
	}
	n.mu.RUnlock()
	for _, fs := range sets {
		send(Announcement{fs.folder, fs.EpochID(LocalDevice), fs.EpochID(dev), fs.Sequence()})
	}
}
