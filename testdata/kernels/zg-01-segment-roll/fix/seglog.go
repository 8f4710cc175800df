// Package seglog is an append-only record log kept in segment files. A segment
// is named after the log position of its first byte; once it is full it is
// sealed and a new one is started. Only a fixed number of sealed segments is
// kept on disk.
package seglog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
)

const headerLen = 8

// ErrClosed is returned by a log that has been closed.
var ErrClosed = errors.New("seglog: closed")

// Options sets the limits of a log.
type Options struct {
	SegmentBytes int64 // a segment is rolled when it would grow past this
	KeepSealed   int   // sealed segments that are retained
}

type segment struct {
	base int64
	size int64
	file *os.File
}

// Log is safe for use by several goroutines.
type Log struct {
	dir  string
	opts Options

	mu     sync.Mutex
	active *segment
	sealed []int64 // base positions, oldest first
	closed bool
}

func segmentPath(dir string, base int64) string {
	return filepath.Join(dir, fmt.Sprintf("%016x.seg", base))
}

func openSegment(dir string, base int64, flag int) (*segment, error) {
	f, err := os.OpenFile(segmentPath(dir, base), os.O_RDWR|flag, 0o644)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &segment{base: base, size: st.Size(), file: f}, nil
}

func createSegment(dir string, base int64) (*segment, error) {
	return openSegment(dir, base, os.O_CREATE|os.O_EXCL)
}

// Open opens the log in dir, continuing the newest segment if there is one.
func Open(dir string, opts Options) (*Log, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.seg"))
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	l := &Log{dir: dir, opts: opts}
	for i, name := range names {
		base, err := strconv.ParseInt(strings.TrimSuffix(filepath.Base(name), ".seg"), 16, 64)
		if err != nil {
			return nil, fmt.Errorf("seglog: bad segment name %q: %w", name, err)
		}
		if i < len(names)-1 {
			l.sealed = append(l.sealed, base)
			continue
		}
		if l.active, err = openSegment(dir, base, 0); err != nil {
			return nil, err
		}
	}
	if l.active == nil {
		if l.active, err = createSegment(dir, 0); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Append writes one record and returns its position in the log.
func (l *Log) Append(rec []byte) (int64, error) {
	frame := make([]byte, headerLen, headerLen+len(rec))
	binary.LittleEndian.PutUint32(frame[0:], uint32(len(rec)))
	binary.LittleEndian.PutUint32(frame[4:], crc32.ChecksumIEEE(rec))
	frame = append(frame, rec...)

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, ErrClosed
	}
	if l.full(int64(len(frame))) {
		if err := l.roll(); err != nil {
			return 0, err
		}
	}
	seg := l.active
	if _, err := seg.file.WriteAt(frame, seg.size); err != nil {
		return 0, err
	}
	pos := seg.base + seg.size
	seg.size += int64(len(frame))
	return pos, nil
}

// full reports whether a frame of n bytes has to go to another segment. An
// empty segment takes a frame of any length. The caller holds l.mu.
func (l *Log) full(n int64) bool {
	return l.active.size > 0 && l.active.size+n > l.opts.SegmentBytes
}

// roll seals the active segment and starts the next one. The caller holds l.mu.
func (l *Log) roll() error {
	old := l.active
	if err := old.settle(); err != nil {
		return err
	}
	next, err := createSegment(l.dir, old.base+old.size)
	if err != nil {
		return err
	}
	l.active = next
	l.sealed = append(l.sealed, old.base)
	old.file.Close()
	l.dropOld()
	return nil
}

// dropOld removes sealed segments beyond the retention. What cannot be removed
// now is tried again at the next roll.
func (l *Log) dropOld() {
	for len(l.sealed) > l.opts.KeepSealed {
		err := os.Remove(segmentPath(l.dir, l.sealed[0]))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return
		}
		l.sealed = l.sealed[1:]
	}
}

// settle cuts off what a failed write may have left behind and syncs the file.
func (s *segment) settle() error {
	if err := s.file.Truncate(s.size); err != nil {
		return err
	}
	return s.file.Sync()
}

// Close syncs and closes the active segment.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	l.closed = true
	return errors.Join(l.active.settle(), l.active.file.Close())
}
