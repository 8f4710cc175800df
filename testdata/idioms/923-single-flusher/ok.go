// Package wal is a write-ahead log with group commit.
package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"sync/atomic"
)

// ErrClosed is returned by Append after Close.
var ErrClosed = errors.New("wal: closed")

// File is what the log is written to.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

const (
	headerSize = 8
	maxGroup   = 128
)

type request struct {
	data []byte
	done chan<- result
}

type result struct {
	end int64
	err error
}

// Log appends records to a file. Append and the getters may be called from any
// goroutine. The file belongs to the goroutine that Open starts.
type Log struct {
	file File
	reqs chan request
	quit chan struct{}
	done chan struct{}
	once sync.Once

	// Published by the writer goroutine for everybody else.
	durable atomic.Int64 // bytes that are safe on disk
	groups  atomic.Int64 // number of syncs
	failed  atomic.Bool  // the file is unusable

	closeErr error // set before done is closed
}

// Open starts a log on a file that holds size bytes of records already.
func Open(f File, size int64) *Log {
	l := &Log{
		file: f,
		reqs: make(chan request),
		quit: make(chan struct{}),
		done: make(chan struct{}),
	}
	l.durable.Store(size)
	go l.run()
	return l
}

// Append writes a record and waits until it is on disk. It returns the offset
// behind the record.
func (l *Log) Append(data []byte) (int64, error) {
	done := make(chan result, 1)
	select {
	case l.reqs <- request{data: data, done: done}:
		r := <-done
		return r.end, r.err
	case <-l.done:
		return 0, ErrClosed
	}
}

// run is the writer goroutine.
func (l *Log) run() {
	defer close(l.done)
	var group []request
	for {
		group = group[:0]
		select {
		case r := <-l.reqs:
			group = append(group, r)
		case <-l.quit:
			l.closeErr = l.file.Close()
			return
		}
	fill:
		for len(group) < maxGroup {
			select {
			case r := <-l.reqs:
				group = append(group, r)
			default:
				break fill
			}
		}
		l.commit(group)
	}
}

// commit writes a group of records, syncs once, and answers.
func (l *Log) commit(group []request) {
	if l.failed.Load() {
		answer(group, nil, errors.New("wal: disabled by an earlier write error"))
		return
	}
	var buf []byte
	start := l.durable.Load()
	ends := make([]int64, len(group))
	for i, r := range group {
		buf = binary.LittleEndian.AppendUint32(buf, uint32(len(r.data)))
		buf = binary.LittleEndian.AppendUint32(buf, crc32.ChecksumIEEE(r.data))
		buf = append(buf, r.data...)
		ends[i] = start + int64(len(buf))
	}
	_, err := l.file.Write(buf)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		// What is on disk now is not known.
		l.failed.Store(true)
		answer(group, nil, fmt.Errorf("wal: write at %d: %w", start, err))
		return
	}
	l.durable.Store(start + int64(len(buf)))
	l.groups.Store(l.groups.Load() + 1)
	answer(group, ends, nil)
}

func answer(group []request, ends []int64, err error) {
	for i, r := range group {
		if err != nil {
			r.done <- result{err: err}
			continue
		}
		r.done <- result{end: ends[i]}
	}
}

// Durable returns the offset up to which the log is safe on disk.
func (l *Log) Durable() int64 { return l.durable.Load() }

// Groups returns the number of syncs so far.
func (l *Log) Groups() int64 { return l.groups.Load() }

// RecordSize returns the number of bytes that a record takes in the log.
func RecordSize(data []byte) int64 { return headerSize + int64(len(data)) }

// Close stops the log and closes the file. Records whose Append has been accepted
// are written first.
func (l *Log) Close() error {
	l.once.Do(func() { close(l.quit) })
	<-l.done
	return l.closeErr
}
