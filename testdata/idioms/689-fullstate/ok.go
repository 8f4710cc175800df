// Package filestore writes the index of a store from time to time.
package filestore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const streamStreamStateFile = "index.db"

var errStoreClosed = errors.New("store is closed")

type subjectState struct {
	first uint64
	last  uint64
	msgs  uint64
}

type fileStore struct {
	mu       sync.RWMutex
	dir      string
	firstSeq uint64
	lastSeq  uint64
	msgs     uint64
	subjects map[string]*subjectState
	dirty    int
	closed   bool
	qch      chan struct{}

	// wfsmu makes the writes of the full state one after the other.
	wfsmu sync.Mutex
}

func newFileStore(dir string, every time.Duration) (*fileStore, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	fs := &fileStore{dir: dir, firstSeq: 1, subjects: make(map[string]*subjectState), qch: make(chan struct{})}
	go fs.flushStreamStateLoop(every)
	return fs, nil
}

// StoreMsg accounts for a message.
func (fs *fileStore) StoreMsg(subj string) (uint64, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.closed {
		return 0, errStoreClosed
	}
	fs.lastSeq++
	fs.msgs++
	ss := fs.subjects[subj]
	if ss == nil {
		ss = &subjectState{first: fs.lastSeq}
		fs.subjects[subj] = ss
	}
	ss.last = fs.lastSeq
	ss.msgs++
	fs.dirty++
	return fs.lastSeq, nil
}

// PurgeSubject forgets all messages of a subject.
func (fs *fileStore) PurgeSubject(subj string) uint64 {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	ss := fs.subjects[subj]
	if ss == nil || fs.closed {
		return 0
	}
	delete(fs.subjects, subj)
	fs.msgs -= ss.msgs
	fs.dirty++
	return ss.msgs
}

func (fs *fileStore) flushStreamStateLoop(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := fs.writeFullState(); err != nil {
				log.Printf("WriteFullState reported an error: %v", err)
			}
		case <-fs.qch:
			return
		}
	}
}

// encodeState must be called with the lock held.
func (fs *fileStore) encodeState() []byte {
	buf := binary.BigEndian.AppendUint64(nil, fs.firstSeq)
	buf = binary.BigEndian.AppendUint64(buf, fs.lastSeq)
	buf = binary.BigEndian.AppendUint64(buf, fs.msgs)
	for subj, ss := range fs.subjects {
		buf = binary.AppendUvarint(buf, uint64(len(subj)))
		buf = append(buf, subj...)
		buf = binary.AppendUvarint(buf, ss.first)
		buf = binary.AppendUvarint(buf, ss.last)
		buf = binary.AppendUvarint(buf, ss.msgs)
	}
	return binary.BigEndian.AppendUint32(buf, crc32.ChecksumIEEE(buf))
}

// writeFullState will proceed to write the full meta state iff not complex and time consuming.
// Will bail if nothing has changed.
func (fs *fileStore) writeFullState() error {
	fs.wfsmu.Lock()
	defer fs.wfsmu.Unlock()

	fs.mu.RLock()
	if fs.dirty == 0 {
		fs.mu.RUnlock()
		return nil
	}
	// For larger states the encoding takes a while, but the disk takes longer.
	buf := fs.encodeState()
	// Snapshot prior dirty count.
	priorDirty := fs.dirty
	fs.mu.RUnlock()

	fn := filepath.Join(fs.dir, streamStreamStateFile)
	tmp := fn + ".tmp"
	if err := os.WriteFile(tmp, buf, 0o640); err != nil {
		return fmt.Errorf("writing the full state: %w", err)
	}
	if err := os.Rename(tmp, fn); err != nil {
		os.Remove(tmp)
		return err
	}

	// Update dirty if successful.
	fs.mu.Lock()
	fs.dirty -= priorDirty
	fs.mu.Unlock()
	return nil
}

// Stop writes what has not been written and closes the store.
func (fs *fileStore) Stop() error {
	fs.mu.Lock()
	if fs.closed {
		fs.mu.Unlock()
		return errStoreClosed
	}
	fs.closed = true
	close(fs.qch)
	fs.mu.Unlock()
	return fs.writeFullState()
}
