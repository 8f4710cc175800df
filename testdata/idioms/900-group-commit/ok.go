// Package wal is the write-ahead log of the order store. Many writers append;
// whoever needs durability first writes the records of all of them to disk.
package wal

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"sync"
	"sync/atomic"
)

// LSN numbers the bytes of the log. A record is durable once the log is
// written up to the LSN that Append returned.
type LSN uint64

// Log is an open log. It is safe for concurrent use.
type Log struct {
	file    *os.File
	durable atomic.Uint64 // what is on disk for certain; only grows
	syncs   atomic.Uint64

	syncMu sync.Mutex // held by the one who writes to the file
	failed error      // first write error, after which nothing is written; under syncMu

	bufMu sync.Mutex
	buf   []byte // appended and not yet written
	spare []byte // the other buffer, to be reused
	end   LSN    // LSN after buf
}

// Create starts a log in a new file.
func Create(path string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &Log{file: f}, nil
}

// Append adds a record to the buffer and returns the LSN to sync to.
func (l *Log) Append(rec []byte) LSN {
	l.bufMu.Lock()
	defer l.bufMu.Unlock()
	start := len(l.buf)
	l.buf = binary.BigEndian.AppendUint32(l.buf, uint32(len(rec)))
	l.buf = binary.BigEndian.AppendUint32(l.buf, crc32.ChecksumIEEE(rec))
	l.buf = append(l.buf, rec...)
	l.end += LSN(len(l.buf) - start)
	return l.end
}

// Sync returns when everything up to lsn is on disk.
func (l *Log) Sync(lsn LSN) error {
	if l.Durable() >= lsn {
		return nil
	}
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	if l.Durable() >= lsn {
		return nil
	}
	if l.failed != nil {
		return l.failed
	}
	batch, end := l.take()
	if err := l.write(batch); err != nil {
		l.failed = fmt.Errorf("wal: %w", err)
		return l.failed
	}
	l.durable.Store(uint64(end))
	l.recycle(batch)
	return nil
}

// Durable returns the LSN up to which the log is on disk.
func (l *Log) Durable() LSN { return LSN(l.durable.Load()) }

// Syncs returns how often the disk was waited for.
func (l *Log) Syncs() uint64 { return l.syncs.Load() }

// Commit appends a record and waits until it is on disk.
func (l *Log) Commit(rec []byte) error {
	return l.Sync(l.Append(rec))
}

// Close writes what is left. Nobody may append any more.
func (l *Log) Close() error {
	l.bufMu.Lock()
	end := l.end
	l.bufMu.Unlock()
	if err := l.Sync(end); err != nil {
		l.file.Close()
		return err
	}
	return l.file.Close()
}

// take removes the buffer and returns it with the LSN after it. syncMu is held.
func (l *Log) take() ([]byte, LSN) {
	l.bufMu.Lock()
	defer l.bufMu.Unlock()
	batch := l.buf
	l.buf, l.spare = l.spare[:0], nil
	return batch, l.end
}

// recycle keeps the buffer for the next take. syncMu is held.
func (l *Log) recycle(batch []byte) {
	l.bufMu.Lock()
	defer l.bufMu.Unlock()
	l.spare = batch[:0]
}

// write brings the batch to disk. syncMu is held.
func (l *Log) write(batch []byte) error {
	if _, err := l.file.Write(batch); err != nil {
		return err
	}
	l.syncs.Add(1)
	return l.file.Sync()
}
