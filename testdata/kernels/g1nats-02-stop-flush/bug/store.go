// Package bug keeps messages in segments and writes an index of them now and then.
package bug

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrClosed is returned for all operations on a stopped store.
var ErrClosed = errors.New("store is closed")

type segment struct {
	first, last uint64
	bytes       int64
	pending     []byte
}

// Reader is something that has a position in the store.
type Reader interface{ Stop() error }

// Store is the message store of one topic.
type Store struct {
	mu      sync.RWMutex
	dir     string
	segs    []*segment
	lseg    *segment
	last    uint64
	bytes   int64
	dirty   int
	usage   func(delta int64)
	readers []Reader
	syncTmr *time.Timer
	kick    chan struct{}
	quit    chan struct{}
	flushed chan struct{}
	closed  bool
}

// Open returns an empty store below dir.
func Open(dir string, usage func(int64)) *Store {
	s := &Store{
		dir:     dir,
		usage:   usage,
		kick:    make(chan struct{}, 1),
		quit:    make(chan struct{}),
		flushed: make(chan struct{}),
	}
	s.lseg = &segment{first: 1}
	s.segs = []*segment{s.lseg}
	s.syncTmr = time.AfterFunc(time.Minute, s.syncSegments)
	go s.flushLoop(s.kick, s.quit, s.flushed)
	return s
}

// Append stores one message.
func (s *Store) Append(msg []byte) (uint64, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return 0, ErrClosed
	}
	s.last++
	seq := s.last
	if len(s.lseg.pending) > 1<<16 {
		s.lseg = &segment{first: seq}
		s.segs = append(s.segs, s.lseg)
	}
	s.lseg.last = seq
	s.lseg.bytes += int64(len(msg))
	s.lseg.pending = append(s.lseg.pending, msg...)
	s.bytes += int64(len(msg))
	s.dirty++
	cb := s.usage
	s.mu.Unlock()

	select {
	case s.kick <- struct{}{}:
	default:
	}
	if cb != nil {
		cb(int64(len(msg)))
	}
	return seq, nil
}

// AddReader registers a reader, which is stopped with the store.
func (s *Store) AddReader(r Reader) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.readers = append(s.readers, r)
	return nil
}

// State returns the last sequence and the number of bytes.
func (s *Store) State() (uint64, int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.last, s.bytes
}

func (s *Store) flushLoop(kick, quit, done chan struct{}) {
	defer close(done)
	var last time.Time
	for {
		select {
		case <-kick:
			if time.Since(last) > 10*time.Second {
				s.writeIndex()
				last = time.Now()
			}
		case <-quit:
			return
		}
	}
}

func (s *Store) writeIndex() error {
	s.mu.Lock()
	if s.dirty == 0 {
		s.mu.Unlock()
		return nil
	}
	prior := s.dirty
	buf := binary.AppendUvarint(nil, s.last)
	for _, g := range s.segs {
		buf = binary.AppendUvarint(buf, g.first)
		buf = binary.AppendUvarint(buf, g.last)
	}
	name := filepath.Join(s.dir, "index.db")
	s.mu.Unlock()

	if err := os.WriteFile(name, buf, 0o600); err != nil {
		return err
	}
	s.mu.Lock()
	s.dirty -= prior
	s.mu.Unlock()
	return nil
}

func (s *Store) syncSegments() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.dropPending()
	s.syncTmr.Reset(time.Minute)
}

func (s *Store) dropPending() {
	for _, g := range s.segs {
		g.pending = g.pending[:0]
	}
}

// Stop ends the use of the store.
func (s *Store) Stop() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}

	s.dropPending()
	s.syncTmr.Stop()

	close(s.quit)
	flushed := s.flushed
	s.mu.Unlock()
	<-flushed
	s.writeIndex()
	s.mu.Lock()

	s.closed = true
	s.lseg = nil

	cb, bytes := s.usage, s.bytes
	rs := append([]Reader(nil), s.readers...)
	s.readers = nil
	s.mu.Unlock()

	for _, r := range rs {
		r.Stop()
	}
	if cb != nil && bytes > 0 {
		cb(-bytes)
	}
	return nil
}

// Delete stops the store and removes its files.
func (s *Store) Delete() error {
	if err := s.Stop(); err != nil {
		return err
	}
	return os.RemoveAll(s.dir)
}
