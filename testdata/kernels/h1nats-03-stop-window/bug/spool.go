// Package spool stores documents in segments until a printer takes them. A
// small index, from which the spool is opened quickly, is written now and then
// and when the spool is stopped.
package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	ErrStopped  = errors.New("spool: stopped")
	ErrNotFound = errors.New("spool: no such document")
)

const (
	flushBytes   = 32 << 10
	segmentBytes = 4 << 20
)

// Disk is where the spool keeps its files.
type Disk interface {
	// Append adds data to the end of the segment id.
	Append(id int, data []byte) error
	// Close ends the writing of the segment id.
	Close(id int) error
	// PutIndex replaces the index.
	PutIndex(data []byte) error
}

type segment struct {
	id      int
	first   uint64
	docs    [][]byte // all documents of the segment
	pending []byte   // what was not given to the disk yet
	written int      // bytes on the disk
}

// Spool is safe for concurrent use.
type Spool struct {
	disk  Disk
	every time.Duration

	mu      sync.RWMutex
	segs    []*segment
	tail    *segment // the segment that gets new documents
	last    uint64   // number of the last document
	bytes   uint64
	dirty   int // changes since the index was written
	closing bool
	closed  bool
	quit    chan struct{} // closed to end the index loop
	ended   chan struct{} // closed when the index loop has ended
}

// Open returns an empty spool that writes its index at the given interval.
func Open(disk Disk, every time.Duration) *Spool {
	s := &Spool{
		disk:  disk,
		every: every,
		quit:  make(chan struct{}),
		ended: make(chan struct{}),
	}
	s.addSegment()
	go s.indexLoop(s.quit, s.ended)
	return s
}

// addSegment makes a new tail. The lock is held.
func (s *Spool) addSegment() {
	s.tail = &segment{id: len(s.segs), first: s.last + 1}
	s.segs = append(s.segs, s.tail)
}

// flush gives the pending bytes of a segment to the disk. The lock is held.
func (s *Spool) flush(g *segment) error {
	if len(g.pending) == 0 {
		return nil
	}
	if err := s.disk.Append(g.id, g.pending); err != nil {
		return fmt.Errorf("spool: segment %d: %w", g.id, err)
	}
	g.written += len(g.pending)
	g.pending = g.pending[:0]
	return nil
}

// Put stores a document and returns its number. When the spool is stopped all
// documents that were stored are on the disk.
func (s *Spool) Put(doc []byte) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, ErrStopped
	}
	g := s.tail
	if g.written+len(g.pending) >= segmentBytes {
		if err := s.flush(g); err != nil {
			return 0, err
		}
		if err := s.disk.Close(g.id); err != nil {
			return 0, err
		}
		s.addSegment()
		g = s.tail
	}
	g.pending = binary.AppendUvarint(g.pending, uint64(len(doc)))
	g.pending = append(g.pending, doc...)
	g.docs = append(g.docs, append([]byte(nil), doc...))
	s.last++
	s.bytes += uint64(len(doc))
	s.dirty++
	if len(g.pending) >= flushBytes {
		if err := s.flush(g); err != nil {
			return 0, err
		}
	}
	return s.last, nil
}

// Get returns the document with the number num. The caller must not change it.
func (s *Spool) Get(num uint64) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, ErrStopped
	}
	for _, g := range s.segs {
		if num >= g.first && num < g.first+uint64(len(g.docs)) {
			return g.docs[num-g.first], nil
		}
	}
	return nil, ErrNotFound
}

// Size returns the number of documents and their bytes.
func (s *Spool) Size() (docs, bytes uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.last, s.bytes
}

// encodeIndex returns the index of the present state. The lock is held.
func (s *Spool) encodeIndex() []byte {
	buf := binary.AppendUvarint(nil, s.last)
	buf = binary.AppendUvarint(buf, s.bytes)
	buf = binary.AppendUvarint(buf, uint64(len(s.segs)))
	for _, g := range s.segs {
		buf = binary.AppendUvarint(buf, g.first)
		buf = binary.AppendUvarint(buf, uint64(len(g.docs)))
		buf = binary.AppendUvarint(buf, uint64(g.written))
	}
	return buf
}

// writeIndex writes the index unless it is up to date. It is called by the
// index loop and, when the loop has ended, by Stop. The disk is used without
// the lock, for it may be slow.
func (s *Spool) writeIndex() error {
	s.mu.Lock()
	if s.closed || s.dirty == 0 {
		s.mu.Unlock()
		return nil
	}
	prior := s.dirty
	buf := s.encodeIndex()
	s.mu.Unlock()

	if err := s.disk.PutIndex(buf); err != nil {
		return err
	}

	s.mu.Lock()
	s.dirty -= prior
	s.mu.Unlock()
	return nil
}

func (s *Spool) indexLoop(quit, ended chan struct{}) {
	defer close(ended)
	t := time.NewTicker(s.every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			// The next round tries again after an error.
			_ = s.writeIndex()
		case <-quit:
			return
		}
	}
}

// Stop writes everything that is pending and ends the spool.
func (s *Spool) Stop() error {
	s.mu.Lock()
	if s.closed || s.closing {
		s.mu.Unlock()
		return ErrStopped
	}
	// Only one call gets further than this.
	s.closing = true

	err := s.flush(s.tail)
	if cerr := s.disk.Close(s.tail.id); err == nil {
		err = cerr
	}

	// The index loop needs the lock to end.
	close(s.quit)
	ended := s.ended
	s.mu.Unlock()
	<-ended
	if werr := s.writeIndex(); err == nil {
		err = werr
	}

	s.mu.Lock()
	s.closed = true
	s.segs, s.tail = nil, nil
	s.mu.Unlock()
	return err
}
