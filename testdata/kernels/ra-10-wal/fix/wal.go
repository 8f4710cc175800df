// Package wal is a write-ahead log with group commit.
package wal

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"sync"
	"time"
)

// ErrClosed is returned by appends to a closed log.
var ErrClosed = errors.New("wal: closed")

// File is the part of *os.File that the log needs.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// Log buffers records and writes them in batches.
type Log struct {
	file  File
	delay time.Duration

	mu      sync.Mutex
	synced  *sync.Cond
	buf     []byte
	last    uint64 // sequence number of the newest record
	durable uint64 // every record up to here is on disk
	err     error
	closed  bool

	kick chan struct{}
	done chan struct{}
}

// Open returns a log that appends to file.
func Open(file File, delay time.Duration) *Log {
	l := &Log{
		file:  file,
		delay: delay,
		kick:  make(chan struct{}, 1),
		done:  make(chan struct{}),
	}
	l.synced = sync.NewCond(&l.mu)
	go l.run()
	return l
}

// Append buffers rec and returns its sequence number.
func (l *Log) Append(rec []byte) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, ErrClosed
	}
	if l.err != nil {
		return 0, l.err
	}
	l.last++
	l.buf = binary.BigEndian.AppendUint32(l.buf, uint32(len(rec)))
	l.buf = binary.BigEndian.AppendUint32(l.buf, crc32.ChecksumIEEE(rec))
	l.buf = append(l.buf, rec...)
	select {
	case l.kick <- struct{}{}:
	default:
	}
	return l.last, nil
}

// Commit appends rec and returns when it is on disk.
func (l *Log) Commit(rec []byte) error {
	seq, err := l.Append(rec)
	if err != nil {
		return err
	}
	return l.wait(seq)
}

func (l *Log) wait(seq uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.durable < seq && l.err == nil {
		l.synced.Wait()
	}
	if l.durable >= seq {
		return nil
	}
	return l.err
}

// Close flushes what is buffered and closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return ErrClosed
	}
	l.closed = true
	close(l.kick)
	l.mu.Unlock()
	<-l.done
	return l.file.Close()
}

func (l *Log) run() {
	defer close(l.done)
	for range l.kick {
		time.Sleep(l.delay)
		l.flush()
	}
	l.flush()
}

func (l *Log) flush() {
	l.mu.Lock()
	batch := l.buf
	l.buf = nil
	target := l.last
	failed := l.err != nil
	l.mu.Unlock()
	if failed || len(batch) == 0 {
		return
	}

	_, err := l.file.Write(batch)
	if err == nil {
		err = l.file.Sync()
	}

	l.mu.Lock()
	if err != nil {
		l.err = err
	} else {
		l.durable = target
	}
	l.synced.Broadcast()
	l.mu.Unlock()
}
