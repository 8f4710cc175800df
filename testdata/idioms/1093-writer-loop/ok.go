// Correct: only the goroutine that runs loop, of which there is one per log,
// writes tail and index. Its own load, write and store of tail, and its read
// of index before it writes it, cannot be overtaken. Others only read, and
// tail moves after the bytes and the index entry are there.
package wal

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

var (
	// ErrClosed is returned by appends to a closed log.
	ErrClosed = errors.New("log is closed")
	// ErrNotFound is returned for keys that are not in the log.
	ErrNotFound = errors.New("key not found")
)

// File is the log file.
type File interface {
	io.WriterAt
	io.ReaderAt
}

type span struct {
	off int64
	len int
	ver int
}

type request struct {
	key  string
	data []byte
	done chan error
}

// Log appends values to a file and finds the newest one of a key.
type Log struct {
	file File
	reqs chan request
	quit chan struct{}
	end  chan struct{}
	once sync.Once

	tail atomic.Int64

	mu    sync.RWMutex
	index map[string]span
}

// Open returns an empty log on file.
func Open(file File) *Log {
	l := &Log{
		file:  file,
		reqs:  make(chan request),
		quit:  make(chan struct{}),
		end:   make(chan struct{}),
		index: make(map[string]span),
	}
	go l.loop()
	return l
}

func (l *Log) loop() {
	defer close(l.end)
	for {
		select {
		case r := <-l.reqs:
			r.done <- l.append(r.key, r.data)
		case <-l.quit:
			return
		}
	}
}

func (l *Log) find(key string) (span, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	s, ok := l.index[key]
	return s, ok
}

func (l *Log) append(key string, data []byte) error {
	off := l.tail.Load()
	if _, err := l.file.WriteAt(data, off); err != nil {
		return err
	}
	next := span{off: off, len: len(data), ver: 1}
	if prev, ok := l.find(key); ok {
		next.ver = prev.ver + 1
	}
	l.mu.Lock()
	l.index[key] = next
	l.mu.Unlock()
	l.tail.Store(off + int64(len(data)))
	return nil
}

// Append stores data as the newest value of key.
func (l *Log) Append(key string, data []byte) error {
	r := request{key: key, data: data, done: make(chan error, 1)}
	select {
	case l.reqs <- r:
		return <-r.done
	case <-l.end:
		return ErrClosed
	}
}

// Read returns the newest value of key and its version.
func (l *Log) Read(key string) ([]byte, int, error) {
	s, ok := l.find(key)
	if !ok {
		return nil, 0, ErrNotFound
	}
	p := make([]byte, s.len)
	if _, err := l.file.ReadAt(p, s.off); err != nil && err != io.EOF {
		return nil, 0, err
	}
	return p, s.ver, nil
}

// Size returns the length of the log.
func (l *Log) Size() int64 {
	return l.tail.Load()
}

// Close ends the log after the append that is under way.
func (l *Log) Close() {
	l.once.Do(func() { close(l.quit) })
	<-l.end
}
