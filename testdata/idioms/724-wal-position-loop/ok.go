package wal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// ErrClosed is returned by Append after the log has stopped.
var ErrClosed = errors.New("wal: closed")

// OpenFunc creates a segment.
type OpenFunc func(segment uint64) (io.WriteCloser, error)

type entry struct {
	data []byte
	done chan ack
}

type ack struct {
	segment uint64
	offset  int64
	err     error
}

// Log appends entries to segments.
type Log struct {
	open    OpenFunc
	limit   int64
	entries chan entry
	stopped chan struct{}

	segment atomic.Uint64
	offset  atomic.Int64
	cur     io.WriteCloser
}

// Start opens the first segment and serves appends until ctx is done.
func Start(ctx context.Context, open OpenFunc, first uint64, limit int64) (*Log, error) {
	cur, err := open(first)
	if err != nil {
		return nil, fmt.Errorf("wal: segment %d: %w", first, err)
	}
	l := &Log{
		open:    open,
		limit:   limit,
		entries: make(chan entry),
		stopped: make(chan struct{}),
		cur:     cur,
	}
	l.segment.Store(first)
	go l.loop(ctx)
	return l, nil
}

func (l *Log) loop(ctx context.Context) {
	defer close(l.stopped)
	defer func() { _ = l.cur.Close() }()
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-l.entries:
			seg, off, err := l.write(e.data)
			e.done <- ack{segment: seg, offset: off, err: err}
		}
	}
}

func (l *Log) position() (uint64, int64) {
	return l.segment.Load(), l.offset.Load()
}

func (l *Log) write(data []byte) (uint64, int64, error) {
	seg, off := l.position()
	if off > 0 && off+int64(len(data)) > l.limit {
		if err := l.roll(seg + 1); err != nil {
			return 0, 0, err
		}
		seg, off = l.position()
	}
	n, err := l.cur.Write(data)
	l.offset.Add(int64(n))
	if err != nil {
		return 0, 0, fmt.Errorf("wal: write to %d at %d: %w", seg, off, err)
	}
	return seg, off, nil
}

func (l *Log) roll(next uint64) error {
	f, err := l.open(next)
	if err != nil {
		return fmt.Errorf("wal: segment %d: %w", next, err)
	}
	if err := l.cur.Close(); err != nil {
		_ = f.Close()
		return err
	}
	l.cur = f
	l.segment.Store(next)
	l.offset.Store(0)
	return nil
}

// Append writes data and returns where it is.
func (l *Log) Append(ctx context.Context, data []byte) (segment uint64, offset int64, err error) {
	e := entry{data: data, done: make(chan ack, 1)}
	select {
	case l.entries <- e:
	case <-l.stopped:
		return 0, 0, ErrClosed
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	}
	a := <-e.done
	return a.segment, a.offset, a.err
}

// Segment returns the number of the current segment, for the status page.
func (l *Log) Segment() uint64 { return l.segment.Load() }

// Fill returns how full the current segment is, for the fill gauge.
func (l *Log) Fill() float64 { return float64(l.offset.Load()) / float64(l.limit) }
