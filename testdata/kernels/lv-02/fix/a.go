// Package filestore keeps the messages of a stream in block files.
package filestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	defaultFilePerms = os.FileMode(0640)
	closeFDsIdle     = 30 * time.Second
)

var errClosed = errors.New("filestore: closed")

// dios bounds the number of concurrent disk operations.
var dios = make(chan struct{}, 4)

func init() {
	for i := 0; i < cap(dios); i++ {
		dios <- struct{}{}
	}
}

type msgBlock struct {
	mu       sync.RWMutex
	mfn      string
	mfd      *os.File
	index    int
	pending  []byte
	lwts     time.Time
	needSync bool
}

type fileStore struct {
	mu       sync.RWMutex
	dir      string
	blks     []*msgBlock
	lmb      *msgBlock
	maxBlock int
	size     int
	interval time.Duration
	syncTmr  *time.Timer
	closed   bool
}

func newFileStore(dir string, maxBlock int, interval time.Duration) *fileStore {
	fs := &fileStore{dir: dir, maxBlock: maxBlock, interval: interval}
	fs.mu.Lock()
	fs.newMsgBlockForWrite()
	fs.setSyncTimer()
	fs.mu.Unlock()
	return fs
}

// Lock should be held.
func (fs *fileStore) setSyncTimer() {
	if fs.syncTmr != nil {
		fs.syncTmr.Reset(fs.interval)
	} else {
		fs.syncTmr = time.AfterFunc(fs.interval, fs.syncBlocks)
	}
}

// Lock should be held.
func (fs *fileStore) newMsgBlockForWrite() *msgBlock {
	index := len(fs.blks) + 1
	mb := &msgBlock{index: index, mfn: filepath.Join(fs.dir, fmt.Sprintf("%d.blk", index)), lwts: time.Now()}
	fs.blks = append(fs.blks, mb)
	fs.lmb, fs.size = mb, 0
	return mb
}

// StoreMsg appends one message.
func (fs *fileStore) StoreMsg(msg []byte) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.closed {
		return errClosed
	}
	mb := fs.lmb
	if fs.size+len(msg) > fs.maxBlock {
		mb = fs.newMsgBlockForWrite()
	}
	fs.size += len(msg)
	return mb.writeMsgRecord(msg)
}

func (mb *msgBlock) writeMsgRecord(msg []byte) error {
	mb.mu.Lock()
	defer mb.mu.Unlock()
	mb.pending = append(mb.pending, msg...)
	mb.lwts = time.Now()
	return mb.flushPendingMsgsLocked()
}

// Lock should be held.
func (mb *msgBlock) flushPendingMsgsLocked() error {
	if len(mb.pending) == 0 {
		return nil
	}
	if mb.mfd == nil {
		fd, err := os.OpenFile(mb.mfn, os.O_CREATE|os.O_RDWR|os.O_APPEND, defaultFilePerms)
		if err != nil {
			return err
		}
		mb.mfd = fd
	}
	if _, err := mb.mfd.Write(mb.pending); err != nil {
		return err
	}
	mb.pending = mb.pending[:0]
	mb.needSync = true
	return nil
}

// Sync msg files as needed. This is called from a timer.
func (fs *fileStore) syncBlocks() {
	fs.mu.RLock()
	if fs.closed {
		fs.mu.RUnlock()
		return
	}
	blks := append([]*msgBlock(nil), fs.blks...)
	fs.mu.RUnlock()

	for _, mb := range blks {
		mb.mu.Lock()
		// See if we can close FDs due to being idle.
		if mb.mfd != nil && time.Since(mb.lwts) > closeFDsIdle {
			mb.mfd.Close()
			mb.mfd = nil
		}
		needSync := mb.needSync
		if needSync {
			mb.flushPendingMsgsLocked()
		}
		mb.mu.Unlock()

		if needSync {
			mb.mu.Lock()
			fd, didOpen := mb.mfd, false
			if fd == nil {
				<-dios
				fd, _ = os.OpenFile(mb.mfn, os.O_RDWR, defaultFilePerms)
				dios <- struct{}{}
				didOpen = true
			}
			// If we have an fd.
			if fd != nil {
				canClear := fd.Sync() == nil
				// If we opened the file close the fd.
				if didOpen {
					fd.Close()
				}
				// Only clear sync flag on success.
				if canClear {
					mb.needSync = false
				}
			}
			mb.mu.Unlock()
		}
	}

	fs.mu.Lock()
	defer fs.mu.Unlock()
	if !fs.closed {
		fs.setSyncTimer()
	}
}

// Stop ends the writing and syncing.
func (fs *fileStore) Stop() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.closed = true
	fs.syncTmr.Stop()
}
