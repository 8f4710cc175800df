// Package ok opens one sub-database per folder, when it is needed first.
package ok

import (
	"errors"
	"fmt"
	"math/rand"
	"path/filepath"
	"strings"
	"sync"
)

var errNoFolder = errors.New("no such folder")

// names stands for a table of the main database.
type names struct {
	mu   sync.Mutex
	idx  map[string]int
	file map[int]string
}

func (n *names) fileOf(folder string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.file[n.idx[folder]]
}

func (n *names) indexOf(folder string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	i, ok := n.idx[folder]
	if !ok {
		i = len(n.idx) + 1
		n.idx[folder] = i
	}
	return i
}

func (n *names) setFile(i int, file string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.file[i] = file
}

type subDB struct {
	folder, path string

	mu    sync.Mutex
	files map[string]int64
}

func openSub(folder, path string) *subDB {
	return &subDB{folder: folder, path: path, files: make(map[string]int64)}
}

func (s *subDB) update(name string, ver int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files[name] < ver {
		s.files[name] = ver
	}
}

func (s *subDB) version(name string) (int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.files[name]
	return v, ok
}

// DB is the main database.
type DB struct {
	base  string
	names *names

	subMu sync.RWMutex
	subs  map[string]*subDB
}

// Open opens the main database.
func Open(base string) *DB {
	return &DB{
		base:  base,
		names: &names{idx: make(map[string]int), file: make(map[int]string)},
		subs:  make(map[string]*subDB),
	}
}

func slug() string {
	var sb strings.Builder
	for i := 0; i < 8; i++ {
		sb.WriteByte("abcdefghjkmnpqrstuvwxyz"[rand.Intn(23)])
	}
	return sb.String()
}

func (d *DB) sub(folder string, create bool) (*subDB, error) {
	d.subMu.RLock()
	s, ok := d.subs[folder]
	d.subMu.RUnlock()
	if ok {
		return s, nil
	}

	file := d.names.fileOf(folder)
	if file == "" && !create {
		return nil, errNoFolder
	}

	d.subMu.Lock()
	defer d.subMu.Unlock()
	if s, ok := d.subs[folder]; ok {
		return s, nil
	}
	if file == "" {
		i := d.names.indexOf(folder)
		file = fmt.Sprintf("folder.%04x-%s.db", i, slug())
		d.names.setFile(i, file)
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.base, file)
	}
	s = openSub(folder, path)
	d.subs[folder] = s
	return s, nil
}

// Update stores a version.
func (d *DB) Update(folder, name string, ver int64) error {
	s, err := d.sub(folder, true)
	if err != nil {
		return err
	}
	s.update(name, ver)
	return nil
}

// Version returns the version of a file.
func (d *DB) Version(folder, name string) (int64, bool, error) {
	s, err := d.sub(folder, false)
	if errors.Is(err, errNoFolder) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	v, ok := s.version(name)
	return v, ok, nil
}
