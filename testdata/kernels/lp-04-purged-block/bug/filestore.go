package filestore

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

const (
	msgDir    = "msgs"
	purgeDir  = "__msgs__"
	newMsgDir = "__new_msgs__"
)

var (
	errStoreClosed = errors.New("store is closed")
	errBlockClosed = errors.New("block is closed")
	magic          = []byte("cmp")
)

type msgBlock struct {
	mu     sync.RWMutex
	fs     *fileStore
	index  uint32
	mfn    string
	mfd    *os.File
	msgs   int
	closed bool
}

type fileStore struct {
	mu       sync.RWMutex
	dir      string
	compress bool
	lastSeq  uint64
	blks     []*msgBlock
	lmb      *msgBlock
	closed   atomic.Bool
}

// Open makes a store in dir.
func Open(dir string, compress bool) (*fileStore, error) {
	fs := &fileStore{dir: dir, compress: compress}
	if err := os.MkdirAll(filepath.Join(dir, msgDir), 0o750); err != nil {
		return nil, err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	_, err := fs.newMsgBlockForWrite()
	return fs, err
}

// Lock should be held.
func (fs *fileStore) newMsgBlockForWrite() (*msgBlock, error) {
	index := uint32(1)

	if lmb := fs.lmb; lmb != nil {
		lmb.mu.Lock()
		index = lmb.index + 1
		lmb.closeFDsLocked()
		lmb.mu.Unlock()

		if fs.compress {
			// We've now reached the end of this message block, if we want
			// to compress blocks then now's the time to do it.
			go func() {
				lmb.mu.Lock()
				defer lmb.mu.Unlock()
				// Might error, but we can't handle it here anyway.
				_ = lmb.recompressOnDiskIfNeeded()
			}()
		}
	}

	mb := &msgBlock{fs: fs, index: index, mfn: filepath.Join(fs.dir, msgDir, fmt.Sprintf("%d.blk", index))}
	mfd, err := os.OpenFile(mb.mfn, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o640)
	if err != nil {
		return nil, err
	}
	mb.mfd = mfd
	fs.blks = append(fs.blks, mb)
	fs.lmb = mb
	return mb, nil
}

// Lock should be held.
func (mb *msgBlock) closeFDsLocked() {
	if mb.mfd != nil {
		mb.mfd.Close()
		mb.mfd = nil
	}
}

// Lock should be held.
func (mb *msgBlock) recompressOnDiskIfNeeded() error {
	origBuf, err := os.ReadFile(mb.mfn)
	if err != nil {
		return fmt.Errorf("failed to read original block from disk: %w", err)
	}
	if bytes.HasPrefix(origBuf, magic) {
		return nil
	}
	return mb.atomicOverwriteFile(origBuf)
}

// Lock should be held.
func (mb *msgBlock) atomicOverwriteFile(buf []byte) error {
	mb.closeFDsLocked()
	tmpFN := mb.mfn + ".tmp"
	var out bytes.Buffer
	out.Write(magic)
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, bytes.NewReader(buf)); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(tmpFN, out.Bytes(), 0o640); err != nil {
		return fmt.Errorf("failed to create temporary file: %w", err)
	}
	if err := os.Rename(tmpFN, mb.mfn); err != nil {
		return fmt.Errorf("failed to move temporary file into place: %w", err)
	}
	return nil
}

// Lock should be held.
func (mb *msgBlock) dirtyCloseLocked() {
	mb.closeFDsLocked()
	mb.msgs = 0
}

// StoreMsg appends a message, and rolls the block when it is full.
func (fs *fileStore) StoreMsg(msg []byte, maxMsgs int) (uint64, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.closed.Load() {
		return 0, errStoreClosed
	}
	mb := fs.lmb
	mb.mu.RLock()
	full := mb.msgs >= maxMsgs
	mb.mu.RUnlock()
	if full {
		var err error
		if mb, err = fs.newMsgBlockForWrite(); err != nil {
			return 0, err
		}
	}
	mb.mu.Lock()
	defer mb.mu.Unlock()
	if mb.closed || mb.mfd == nil {
		return 0, errBlockClosed
	}
	if _, err := mb.mfd.Write(msg); err != nil {
		return 0, err
	}
	mb.msgs++
	fs.lastSeq++
	return fs.lastSeq, nil
}

// Purge removes all messages.
func (fs *fileStore) Purge() error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.closed.Load() {
		return errStoreClosed
	}

	for _, mb := range fs.blks {
		mb.mu.Lock()
		mb.dirtyCloseLocked()
		mb.mu.Unlock()
	}
	lmb, err := fs.newMsgBlockForWrite()
	if err != nil {
		return err
	}
	fs.blks = []*msgBlock{lmb}

	// Move the msgs directory out of the way, will delete out of band.
	mdir := filepath.Join(fs.dir, msgDir)
	ndir := filepath.Join(fs.dir, newMsgDir)
	pdir := filepath.Join(fs.dir, purgeDir)
	if err := os.RemoveAll(pdir); err != nil {
		return err
	}
	if err := os.MkdirAll(ndir, 0o750); err != nil {
		return err
	}
	// Move out the block we write to.
	if err := os.Rename(lmb.mfn, filepath.Join(ndir, filepath.Base(lmb.mfn))); err != nil {
		return err
	}
	// Purge all remaining messages.
	if err := os.Rename(mdir, pdir); err != nil {
		return err
	}
	// Rename the directory back to be left only with the new block.
	if err := os.Rename(ndir, mdir); err != nil {
		return err
	}
	go os.RemoveAll(pdir)
	return nil
}

// Stop closes all blocks.
func (fs *fileStore) Stop() {
	fs.closed.Store(true)
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, mb := range fs.blks {
		mb.mu.Lock()
		mb.closeFDsLocked()
		mb.closed = true
		mb.mu.Unlock()
	}
}
