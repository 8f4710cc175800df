package server

import (
	"errors"
	"os"
	"sync"
	"time"
)

var ErrStoreClosed = errors.New("store is closed")

const (
	coalesceMinimum = 16 * 1024
	maxFlushWait    = 8 * time.Millisecond
)

type fileStore struct {
	mu     sync.RWMutex
	lmb    *msgBlock
	blks   []*msgBlock
	max    int
	create func(index int) (*os.File, error)
	closed bool
}

// msgBlock represents a block of messages of the store.
type msgBlock struct {
	mu      sync.RWMutex
	fs      *fileStore
	mfd     *os.File
	pending []byte
	rbytes  int
	fch     chan struct{}
	qch     chan struct{}
	werr    error
	flusher bool
}

// Lock for fs should be held.
func (fs *fileStore) newMsgBlockForWrite() (*msgBlock, error) {
	fd, err := fs.create(len(fs.blks))
	if err != nil {
		return nil, err
	}
	mb := &msgBlock{fs: fs, mfd: fd}
	mb.spinUpFlushLoop()
	if lmb := fs.lmb; lmb != nil {
		// Let it see that it is not the last one any longer.
		defer lmb.kickFlusher()
	}
	fs.blks = append(fs.blks, mb)
	fs.lmb = mb
	return mb, nil
}

// StoreMsg stores a message. Only the last block is written to.
func (fs *fileStore) StoreMsg(msg []byte) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.closed {
		return ErrStoreClosed
	}
	mb := fs.lmb
	if mb == nil || mb.size() >= fs.max {
		var err error
		if mb, err = fs.newMsgBlockForWrite(); err != nil {
			return err
		}
	}
	return mb.writeMsgRecord(msg)
}

func (mb *msgBlock) size() int {
	mb.mu.RLock()
	defer mb.mu.RUnlock()
	return mb.rbytes
}

func (mb *msgBlock) writeMsgRecord(msg []byte) error {
	mb.mu.Lock()
	defer mb.mu.Unlock()
	if mb.werr != nil {
		return mb.werr
	}
	mb.pending = append(mb.pending, msg...)
	mb.rbytes += len(msg)
	kickFlusher(mb.fch)
	return nil
}

func (mb *msgBlock) spinUpFlushLoop() {
	mb.mu.Lock()
	defer mb.mu.Unlock()
	// Are we already running?
	if mb.flusher {
		return
	}
	mb.flusher = true
	mb.fch = make(chan struct{}, 1)
	mb.qch = make(chan struct{})
	fch, qch := mb.fch, mb.qch

	go mb.flushLoop(fch, qch)
}

// Raw low level kicker for flush loops.
func kickFlusher(fch chan struct{}) {
	if fch != nil {
		select {
		case fch <- struct{}{}:
		default:
		}
	}
}

// Kick flusher for this message block.
func (mb *msgBlock) kickFlusher() {
	mb.mu.RLock()
	defer mb.mu.RUnlock()
	kickFlusher(mb.fch)
}

// Determine if we have any pending data to write
func (mb *msgBlock) pendingWriteSize() int {
	mb.mu.RLock()
	defer mb.mu.RUnlock()
	return len(mb.pending)
}

// flushLoop watches for messages, index info, or recently closed msg block updates.
func (mb *msgBlock) flushLoop(fch, qch chan struct{}) {
	for {
		select {
		case <-fch:
			// If we have pending messages process them first.
			if waiting := mb.pendingWriteSize(); waiting != 0 {
				ts := 1 * time.Millisecond
				var waited time.Duration

				for waiting < coalesceMinimum {
					time.Sleep(ts)
					newWaiting := mb.pendingWriteSize()
					if waited = waited + ts; waited > maxFlushWait || newWaiting <= waiting {
						break
					}
					waiting = newWaiting
					ts *= 2
				}
				// Ignore error here, the error is persisted as mb.werr.
				_ = mb.flushPendingMsgs()
			}

			// Check if we are no longer the last message block. If we are
			// not we can close FDs and exit.
			mb.fs.mu.RLock()
			notLast := mb != mb.fs.lmb
			mb.fs.mu.RUnlock()

			if notLast {
				if err := mb.closeFDs(); err == nil {
					return
				}
			}
		case <-qch:
			_ = mb.closeFDs()
			return
		}
	}
}

// Lock should be held.
func (mb *msgBlock) flushPendingMsgsLocked() error {
	if len(mb.pending) == 0 || mb.mfd == nil {
		return nil
	}
	n, err := mb.mfd.Write(mb.pending)
	mb.pending = mb.pending[n:]
	if err != nil {
		mb.werr = err
	}
	return err
}

func (mb *msgBlock) flushPendingMsgs() error {
	mb.mu.Lock()
	defer mb.mu.Unlock()
	return mb.flushPendingMsgsLocked()
}

func (mb *msgBlock) closeFDs() error {
	mb.mu.Lock()
	defer mb.mu.Unlock()
	if err := mb.flushPendingMsgsLocked(); err != nil {
		return err
	}
	if mb.mfd != nil {
		mb.mfd.Close()
		mb.mfd = nil
	}
	mb.fch = nil
	return nil
}

// Stop the store; the flush loops write what is left.
func (fs *fileStore) Stop() error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.closed {
		return ErrStoreClosed
	}
	fs.closed = true
	for _, mb := range fs.blks {
		mb.mu.Lock()
		close(mb.qch)
		mb.mu.Unlock()
	}
	return nil
}
