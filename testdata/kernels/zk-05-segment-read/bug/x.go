// Package bug keeps a log as a row of segment files.
package bug

import (
	"errors"
	"io"
	"sort"
	"sync"
	"sync/atomic"
)

// ErrOutOfRange is returned for offsets that no segment holds.
var ErrOutOfRange = errors.New("offset out of range")

// File is a segment's file.
type File interface {
	io.ReaderAt
	io.Closer
	Remove() error
}

type segment struct {
	base int64
	file File
	refs atomic.Int32
	gone atomic.Bool
}

func newSegment(base int64, f File) *segment {
	s := &segment{base: base, file: f}
	s.refs.Store(1)
	return s
}

func (s *segment) retain() {
	s.refs.Add(1)
}

func (s *segment) release() error {
	if s.refs.Add(-1) > 0 {
		return nil
	}
	err := s.file.Close()
	if s.gone.Load() {
		err = errors.Join(err, s.file.Remove())
	}
	return err
}

// Log is a row of segments, oldest first. The last one is the active one.
type Log struct {
	mu   sync.RWMutex
	segs []*segment
}

// Roll starts a new active segment at base.
func (l *Log) Roll(base int64, f File) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.segs); n > 0 && l.segs[n-1].base >= base {
		return ErrOutOfRange
	}
	l.segs = append(l.segs, newSegment(base, f))
	return nil
}

func (l *Log) locate(off int64) *segment {
	l.mu.RLock()
	defer l.mu.RUnlock()
	i := sort.Search(len(l.segs), func(i int) bool { return l.segs[i].base > off })
	if i == 0 {
		return nil
	}
	return l.segs[i-1]
}

// ReadAt reads from the segment that holds off.
func (l *Log) ReadAt(p []byte, off int64) (int, error) {
	seg := l.locate(off)
	if seg == nil {
		return 0, ErrOutOfRange
	}
	seg.retain()
	defer seg.release()
	return seg.file.ReadAt(p, off-seg.base)
}

// Trim removes the segments that lie wholly before off. The active segment
// stays.
func (l *Log) Trim(off int64) error {
	l.mu.Lock()
	n := 0
	for n+1 < len(l.segs) && l.segs[n+1].base <= off {
		n++
	}
	old := l.segs[:n:n]
	l.segs = append([]*segment(nil), l.segs[n:]...)
	l.mu.Unlock()

	var errs []error
	for _, s := range old {
		s.gone.Store(true)
		errs = append(errs, s.release())
	}
	return errors.Join(errs...)
}

// Close gives up all segments.
func (l *Log) Close() error {
	l.mu.Lock()
	segs := l.segs
	l.segs = nil
	l.mu.Unlock()
	var errs []error
	for _, s := range segs {
		errs = append(errs, s.release())
	}
	return errors.Join(errs...)
}
