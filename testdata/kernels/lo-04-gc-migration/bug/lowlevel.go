package db

import (
	"strings"
	"sync"
	"time"
)

// Backend is the key value store; every call is atomic by itself.
type Backend struct {
	mut  sync.RWMutex
	data map[string]string
}

// NewBackend returns an empty store.
func NewBackend() *Backend {
	return &Backend{data: make(map[string]string)}
}

// Get reads a key.
func (b *Backend) Get(key string) (string, bool) {
	b.mut.RLock()
	defer b.mut.RUnlock()
	v, ok := b.data[key]
	return v, ok
}

// Put writes a key.
func (b *Backend) Put(key, val string) {
	b.mut.Lock()
	defer b.mut.Unlock()
	b.data[key] = val
}

// Delete removes a key.
func (b *Backend) Delete(key string) {
	b.mut.Lock()
	defer b.mut.Unlock()
	delete(b.data, key)
}

// Prefix returns a copy of the keys with a prefix.
func (b *Backend) Prefix(prefix string) map[string]string {
	b.mut.RLock()
	defer b.mut.RUnlock()
	res := make(map[string]string)
	for k, v := range b.data {
		if strings.HasPrefix(k, prefix) {
			res[k] = v
		}
	}
	return res
}

const (
	keyTypeDevice    = "device/"
	keyTypeBlockList = "blocks/"
	keyTypeOld       = "old/"
	dbVersionKey     = "misc/dbVersion"

	indirectGCInterval = 13 * time.Hour
)

// FileInfo is what the scanner and the peers give us.
type FileInfo struct {
	Name       string
	BlocksHash string
	Blocks     string
}

// Lowlevel is the database: file infos, each with a reference to a block list
// that may be shared by several file infos.
type Lowlevel struct {
	*Backend
	// gcMut is held exclusively by the GC and shared by what writes file infos
	// and block lists.
	gcMut  sync.RWMutex
	gcStop chan struct{}
}

// NewLowlevel opens the database and starts the GC loop.
func NewLowlevel(backend *Backend) *Lowlevel {
	db := &Lowlevel{Backend: backend, gcStop: make(chan struct{})}
	go db.gcRunner()
	return db
}

// Close stops the GC loop.
func (db *Lowlevel) Close() {
	close(db.gcStop)
}

// updateLocalFiles is called by the folder after a scan.
func (db *Lowlevel) updateLocalFiles(fs []FileInfo) {
	db.gcMut.RLock()
	defer db.gcMut.RUnlock()

	for _, f := range fs {
		db.putFile(f)
	}
}

// putFile writes the block list, then the file info that refers to it.
func (db *Lowlevel) putFile(f FileInfo) {
	if f.BlocksHash != "" {
		if _, ok := db.Get(keyTypeBlockList + f.BlocksHash); !ok {
			db.Put(keyTypeBlockList+f.BlocksHash, f.Blocks)
		}
	}
	db.Put(keyTypeDevice+f.Name, f.BlocksHash)
}

// File returns a file info with its block list.
func (db *Lowlevel) File(name string) (FileInfo, bool) {
	db.gcMut.RLock()
	defer db.gcMut.RUnlock()

	hash, ok := db.Get(keyTypeDevice + name)
	if !ok {
		return FileInfo{}, false
	}
	blocks, ok := db.Get(keyTypeBlockList + hash)
	return FileInfo{Name: name, BlocksHash: hash, Blocks: blocks}, ok
}

func (db *Lowlevel) gcRunner() {
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		select {
		case <-db.gcStop:
			return
		case <-t.C:
			db.gcIndirect()
			t.Reset(indirectGCInterval)
		}
	}
}

// gcIndirect removes the block lists nobody refers to. It needs to run when
// there are no modifications to the file infos or the block lists.
func (db *Lowlevel) gcIndirect() {
	db.gcMut.Lock()
	defer db.gcMut.Unlock()

	used := make(map[string]bool)
	for _, hash := range db.Prefix(keyTypeDevice) {
		used[hash] = true
	}
	for key := range db.Prefix(keyTypeBlockList) {
		if !used[strings.TrimPrefix(key, keyTypeBlockList)] {
			db.Delete(key)
		}
	}
}
