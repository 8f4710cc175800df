// Package wal is a segmented write-ahead log.
package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("wal: closed")

// Options of a Log.
type Options struct {
	SegmentBytes int64 // soft limit
	SyncEvery    time.Duration
}

type segment struct {
	base int64
	size int64
	file *os.File
}

// Log appends records to the newest of its segments.
type Log struct {
	dir  string
	opts Options
	stop chan struct{}

	mu       sync.Mutex
	segments []*segment
	next     int64
	closed   bool
}

// Open creates a log in an empty directory.
func Open(dir string, opts Options) (*Log, error) {
	if opts.SegmentBytes <= 0 {
		opts.SegmentBytes = 64 << 20
	}
	if opts.SyncEvery <= 0 {
		opts.SyncEvery = time.Second
	}
	l := &Log{dir: dir, opts: opts, stop: make(chan struct{})}
	if err := l.addSegment(0); err != nil {
		return nil, err
	}
	go l.syncLoop()
	return l, nil
}

// addSegment opens the file of a new segment. l.mu is held, or l is not shared yet.
func (l *Log) addSegment(base int64) error {
	name := filepath.Join(l.dir, fmt.Sprintf("%020d.log", base))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o640)
	if err != nil {
		return fmt.Errorf("wal: new segment: %w", err)
	}
	l.segments = append(l.segments, &segment{base: base, file: f})
	return nil
}

func (l *Log) active() *segment { return l.segments[len(l.segments)-1] }

func frameLen(rec []byte) int64 { return int64(len(rec)) + 4 }

// full reports whether the active segment has no room for n more bytes. l.mu is held.
func (l *Log) full(n int64) bool {
	s := l.active()
	return s.size > 0 && s.size+n > l.opts.SegmentBytes
}

func (l *Log) needsRoll(n int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.full(n)
}

// Append writes one record and returns its offset.
func (l *Log) Append(rec []byte) (int64, error) {
	n := frameLen(rec)
	if l.needsRoll(n) {
		if err := l.roll(n); err != nil {
			return 0, err
		}
	}
	return l.write(rec)
}

// roll seals the active segment and starts one with room for n bytes.
func (l *Log) roll(n int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	if !l.full(n) {
		return nil
	}
	sealed := l.active()
	if err := sealed.file.Sync(); err != nil {
		return fmt.Errorf("wal: seal %d: %w", sealed.base, err)
	}
	slog.Debug("rolling segment", "base", l.next, "need", n)
	return l.addSegment(l.next)
}

func (l *Log) write(rec []byte) (int64, error) {
	frame := binary.LittleEndian.AppendUint32(nil, uint32(len(rec)))
	frame = append(frame, rec...)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, ErrClosed
	}
	s := l.active()
	if _, err := s.file.WriteAt(frame, s.size); err != nil {
		return 0, fmt.Errorf("wal: append: %w", err)
	}
	s.size += int64(len(frame))
	off := l.next
	l.next++
	return off, nil
}

func (l *Log) syncLoop() {
	tick := time.NewTicker(l.opts.SyncEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
			l.mu.Lock()
			if !l.closed {
				if err := l.active().file.Sync(); err != nil {
					slog.Warn("wal sync", "err", err)
				}
			}
			l.mu.Unlock()
		}
	}
}

// Close ends the log.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	close(l.stop)
	var errs []error
	for _, s := range l.segments {
		errs = append(errs, s.file.Close())
	}
	return errors.Join(errs...)
}
