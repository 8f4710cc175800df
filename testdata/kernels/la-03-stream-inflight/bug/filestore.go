package server

import (
	"os"
	"path/filepath"
	"sync"
)

type fileStore struct {
	mu  sync.RWMutex
	dir string
	fd  *os.File
	seq uint64
}

func newFileStore(dir string) (*fileStore, error) {
	if err := os.MkdirAll(dir, 0755); err != nil {
		return nil, err
	}
	fd, err := os.OpenFile(filepath.Join(dir, "1.blk"), os.O_CREATE|os.O_RDWR, 0644)
	if err != nil {
		return nil, err
	}
	return &fileStore{dir: dir, fd: fd}, nil
}

func (fs *fileStore) storeMsg(msg []byte) (uint64, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if _, err := fs.fd.Write(msg); err != nil {
		return 0, err
	}
	fs.seq++
	return fs.seq, nil
}

func (fs *fileStore) lastSeq() uint64 {
	fs.mu.RLock()
	defer fs.mu.RUnlock()
	return fs.seq
}

func (fs *fileStore) stop() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.fd.Close()
}
