// Package commitlog is the segmented log of one partition.
package commitlog

import (
	"encoding/binary"
	"errors"
	"io"
	"sort"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("commitlog: closed")

// File is the part of os.File that a segment needs.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// OpenFunc creates the file of the segment that starts at base.
type OpenFunc func(base int64) (File, error)

type segment struct {
	base int64
	size int64
	file File
}

// append frames the messages as offset, length, payload.
func (s *segment) append(first int64, msgs [][]byte) error {
	var buf []byte
	for i, m := range msgs {
		buf = binary.BigEndian.AppendUint64(buf, uint64(first)+uint64(i))
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(m)))
		buf = append(buf, m...)
	}
	n, err := s.file.Write(buf)
	s.size += int64(n)
	return err
}

// Log assigns offsets and appends messages.
type Log struct {
	open    OpenFunc
	maxSize int64

	mu     sync.Mutex
	sealed []*segment
	active *segment
	next   int64
	closed bool
}

// Open returns an empty log.
func Open(open OpenFunc, maxSize int64) (*Log, error) {
	f, err := open(0)
	if err != nil {
		return nil, err
	}
	return &Log{open: open, maxSize: maxSize, active: &segment{file: f}}, nil
}

// Append writes a batch and returns the offset of its first message. Offsets
// are consecutive and never given out twice.
func (l *Log) Append(msgs [][]byte) (int64, error) {
	if len(msgs) == 0 {
		return 0, errors.New("commitlog: empty batch")
	}
	l.mu.Lock()
	defer l.mu.Unlock()

	if err := l.rollIfFull(); err != nil {
		return 0, err
	}
	if l.closed {
		return 0, ErrClosed
	}
	first := l.next
	if err := l.active.append(first, msgs); err != nil {
		return 0, err
	}
	l.next = first + int64(len(msgs))
	return first, nil
}

// rollIfFull seals the active segment when it has reached its size and opens
// the next one. It is called with l.mu held.
func (l *Log) rollIfFull() error {
	if l.closed || l.active.size < l.maxSize {
		return nil
	}
	f, err := l.open(l.next)
	if err != nil {
		return err
	}
	full := l.active
	l.sealed = append(l.sealed, full)
	l.active = &segment{base: l.next, file: f}

	// Syncing a full segment takes long on spinning disks, others may go on
	// with the new one.
	l.mu.Unlock()
	err = full.file.Sync()
	l.mu.Lock()
	return err
}

// NextOffset returns the offset that the next message gets.
func (l *Log) NextOffset() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next
}

// SegmentFor returns the base offset of the segment that holds an offset.
func (l *Log) SegmentFor(offset int64) (int64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if offset < 0 || offset >= l.next {
		return 0, false
	}
	if offset >= l.active.base {
		return l.active.base, true
	}
	i := sort.Search(len(l.sealed), func(i int) bool { return l.sealed[i].base > offset })
	if i == 0 {
		return 0, false
	}
	return l.sealed[i-1].base, true
}

// Close syncs the active segment. Files are left to the opener.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	return l.active.file.Sync()
}
