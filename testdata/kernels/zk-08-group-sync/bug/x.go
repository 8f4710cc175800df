// Package bug writes a log whose appenders share the syncs of the file.
package bug

import (
	"context"
	"io"
	"sync"
)

// File is the log file.
type File interface {
	io.Writer
	Sync() error
}

// progress says how far the file is known to be on disk.
type progress struct {
	mu     sync.Mutex
	synced int64
	err    error
	next   chan struct{}
}

func (p *progress) reached(pos int64) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.synced >= pos {
		return true, nil
	}
	return false, p.err
}

// changed returns a channel that is closed at the next advance.
func (p *progress) changed() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next
}

func (p *progress) advance(pos int64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.err = err
	} else {
		p.synced = max(p.synced, pos)
	}
	close(p.next)
	p.next = make(chan struct{})
}

func (p *progress) await(ctx context.Context, pos int64) error {
	for {
		ok, err := p.reached(pos)
		if ok || err != nil {
			return err
		}
		select {
		case <-p.changed():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Log is an append-only log.
type Log struct {
	done progress
	kick chan struct{}

	mu      sync.Mutex
	file    File
	written int64
}

// NewLog returns a log on file; Run must be running for appends to return.
func NewLog(file File) *Log {
	l := &Log{file: file, kick: make(chan struct{}, 1)}
	l.done.next = make(chan struct{})
	return l
}

func (l *Log) write(rec []byte) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.file.Write(rec)
	l.written += int64(n)
	return l.written, err
}

func (l *Log) end() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written
}

// Append writes rec and returns when it is on disk.
func (l *Log) Append(ctx context.Context, rec []byte) error {
	pos, err := l.write(rec)
	if err != nil {
		return err
	}
	select {
	case l.kick <- struct{}{}:
	default:
	}
	return l.done.await(ctx, pos)
}

// Run syncs the file whenever there is something to sync.
func (l *Log) Run(ctx context.Context) error {
	for {
		select {
		case <-l.kick:
		case <-ctx.Done():
			return ctx.Err()
		}
		pos := l.end()
		err := l.file.Sync()
		l.done.advance(pos, err)
		if err != nil {
			return err
		}
	}
}
