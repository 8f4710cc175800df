// Package segments serves lookups from an immutable on-disk segment that a
// background build replaces from time to time.
package segments

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

const recordSize = 16

// ErrNoSegment is returned before the first segment is installed.
var ErrNoSegment = errors.New("segments: nothing installed")

// Segment is a sorted file of (key, document) pairs.
type Segment struct {
	f    *os.File
	n    int64
	refs atomic.Int32
}

// Open opens a segment file. The caller holds the first reference.
func Open(path string) (*Segment, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	s := &Segment{f: f, n: st.Size() / recordSize}
	s.refs.Store(1)
	return s, nil
}

func (s *Segment) retain() { s.refs.Add(1) }

func (s *Segment) release() {
	if s.refs.Add(-1) == 0 {
		s.f.Close()
	}
}

func (s *Segment) at(i int64) (key, doc uint64, err error) {
	var buf [recordSize]byte
	if _, err := s.f.ReadAt(buf[:], i*recordSize); err != nil {
		return 0, 0, fmt.Errorf("record %d: %w", i, err)
	}
	return binary.BigEndian.Uint64(buf[:8]), binary.BigEndian.Uint64(buf[8:]), nil
}

func (s *Segment) find(key uint64) (doc uint64, ok bool, err error) {
	lo, hi := int64(0), s.n
	for lo < hi {
		mid := lo + (hi-lo)/2
		k, d, err := s.at(mid)
		switch {
		case err != nil:
			return 0, false, err
		case k == key:
			return d, true, nil
		case k < key:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return 0, false, nil
}

// Index answers lookups from the newest segment.
type Index struct {
	mu  sync.RWMutex
	seg *Segment
}

// acquire returns the current segment with a reference for the caller.
func (ix *Index) acquire() *Segment {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.seg != nil {
		ix.seg.retain()
	}
	return ix.seg
}

// Lookup returns the document stored under key.
func (ix *Index) Lookup(key uint64) (doc uint64, ok bool, err error) {
	seg := ix.acquire()
	if seg == nil {
		return 0, false, ErrNoSegment
	}
	defer seg.release()
	return seg.find(key)
}

// Install makes seg the current segment and takes over its reference. The
// file of the previous one is closed when its last reader is done.
func (ix *Index) Install(seg *Segment) {
	ix.mu.Lock()
	old := ix.seg
	ix.seg = seg
	ix.mu.Unlock()
	if old != nil {
		old.release()
	}
}

// Close drops the current segment.
func (ix *Index) Close() { ix.Install(nil) }
