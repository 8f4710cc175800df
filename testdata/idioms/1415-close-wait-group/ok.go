package a

import (
	"errors"
	"os"
	"sync"
)

var errClosed = errors.New("database is closed")

// closeWaitGroup behaves like a sync.WaitGroup, but does not require a single
// goroutine to do the Add and Wait calls. Add fails after CloseWait.
type closeWaitGroup struct {
	sync.WaitGroup
	closed   bool
	closeMut sync.RWMutex
}

func (cg *closeWaitGroup) Add(i int) error {
	cg.closeMut.RLock()
	defer cg.closeMut.RUnlock()
	if cg.closed {
		return errClosed
	}
	cg.WaitGroup.Add(i)
	return nil
}

func (cg *closeWaitGroup) CloseWait() {
	cg.closeMut.Lock()
	cg.closed = true
	cg.closeMut.Unlock()
	cg.WaitGroup.Wait()
}

// Backend is a database in one file.
type Backend struct {
	f       *os.File
	closeWG closeWaitGroup

	mu   sync.Mutex
	size int64
}

func Open(path string) (*Backend, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &Backend{f: f}, nil
}

// Append writes a record at the end.
func (b *Backend) Append(p []byte) error {
	if err := b.closeWG.Add(1); err != nil {
		return err
	}
	defer b.closeWG.Done()

	b.mu.Lock()
	off := b.size
	b.size += int64(len(p))
	b.mu.Unlock()
	_, err := b.f.WriteAt(p, off)
	return err
}

// ReadAt reads a record.
func (b *Backend) ReadAt(p []byte, off int64) error {
	if err := b.closeWG.Add(1); err != nil {
		return err
	}
	defer b.closeWG.Done()
	_, err := b.f.ReadAt(p, off)
	return err
}

// CompactInBackground syncs the file; it may be called at any time.
func (b *Backend) CompactInBackground() error {
	if err := b.closeWG.Add(1); err != nil {
		return err
	}
	go func() {
		defer b.closeWG.Done()
		b.f.Sync()
	}()
	return nil
}

func (b *Backend) Close() error {
	b.closeWG.CloseWait()
	return b.f.Close()
}
