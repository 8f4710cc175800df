// Package storage keeps the segments of a topic partition.
package storage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"
)

var (
	// ErrExpired is returned for offsets that retention removed.
	ErrExpired = errors.New("storage: offset expired")
	// ErrFuture is returned for offsets that were not written yet.
	ErrFuture = errors.New("storage: offset not written yet")
	// ErrCorrupt is returned when a record cannot be read; the partition is then taken offline.
	ErrCorrupt = errors.New("storage: corrupt segment")
)

type recordRef struct {
	pos int64
	len int
}

type segment struct {
	base    int64
	created time.Time
	file    *os.File
	index   []recordRef
	size    int64
}

// Partition is an append-only sequence of records.
type Partition struct {
	dir        string
	maxRecords int

	mu       sync.RWMutex
	segments []*segment // by base
	next     int64
}

// OpenPartition creates a partition in an empty directory.
func OpenPartition(dir string, maxRecords int) *Partition {
	return &Partition{dir: dir, maxRecords: max(maxRecords, 1)}
}

// tail returns the segment to write to. p.mu is held for writing.
func (p *Partition) tail() (*segment, error) {
	if n := len(p.segments); n > 0 && len(p.segments[n-1].index) < p.maxRecords {
		return p.segments[n-1], nil
	}
	f, err := os.Create(filepath.Join(p.dir, fmt.Sprintf("%020d.seg", p.next)))
	if err != nil {
		return nil, err
	}
	s := &segment{base: p.next, created: time.Now(), file: f}
	p.segments = append(p.segments, s)
	return s, nil
}

// Append writes a record and returns its offset.
func (p *Partition) Append(rec []byte) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, err := p.tail()
	if err != nil {
		return 0, fmt.Errorf("storage: append: %w", err)
	}
	if _, err := s.file.WriteAt(rec, s.size); err != nil {
		return 0, fmt.Errorf("storage: append: %w", err)
	}
	s.index = append(s.index, recordRef{pos: s.size, len: len(rec)})
	s.size += int64(len(rec))
	off := p.next
	p.next++
	return off, nil
}

// locate finds the file and place of a record.
func (p *Partition) locate(off int64) (*os.File, recordRef, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if off >= p.next {
		return nil, recordRef{}, ErrFuture
	}
	i := sort.Search(len(p.segments), func(i int) bool { return p.segments[i].base > off })
	if i == 0 {
		return nil, recordRef{}, ErrExpired
	}
	s := p.segments[i-1]
	return s.file, s.index[off-s.base], nil
}

// Read returns the record at an offset.
func (p *Partition) Read(off int64) ([]byte, error) {
	f, ref, err := p.locate(off)
	if err != nil {
		return nil, err
	}
	buf := make([]byte, ref.len)
	if _, err := f.ReadAt(buf, ref.pos); err != nil {
		return nil, fmt.Errorf("%w: offset %d: %w", ErrCorrupt, off, err)
	}
	return buf, nil
}

// expire removes segments, except the newest, that are older than the cutoff.
func (p *Partition) expire(cutoff time.Time) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	n := 0
	for len(p.segments) > 1 && p.segments[0].created.Before(cutoff) {
		s := p.segments[0]
		p.segments = p.segments[1:]
		errs = append(errs, s.file.Close(), os.Remove(s.file.Name()))
		n++
	}
	return n, errors.Join(errs...)
}

// RunRetention expires segments older than keep until ctx ends.
func (p *Partition) RunRetention(ctx context.Context, keep, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			n, err := p.expire(now.Add(-keep))
			if err != nil {
				slog.Error("retention", "dir", p.dir, "err", err)
			}
			if n > 0 {
				slog.Info("segments expired", "dir", p.dir, "count", n)
			}
		}
	}
}
