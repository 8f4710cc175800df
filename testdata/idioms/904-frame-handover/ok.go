// Package framelog writes the access log of the edge server. Lines are packed
// into frames of a fixed size; one goroutine packs, another one writes, and a
// small number of frames goes round between them.
package framelog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// ErrClosed is returned by Log after Close.
var ErrClosed = errors.New("framelog: closed")

// frame is a buffer with some marks. It belongs to the goroutine that took it
// from a channel, until that goroutine sends it on. The lock is for the debug
// page, which looks at frames wherever they are.
type frame struct {
	id int

	mu    sync.Mutex
	buf   bytes.Buffer
	lines int
	first time.Time
}

func (f *frame) reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.buf.Reset()
	f.lines = 0
	f.first = time.Time{}
}

func (f *frame) size() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.buf.Len()
}

func (f *frame) add(line []byte, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lines == 0 {
		f.first = now
	}
	f.buf.Write(line)
	f.buf.WriteByte('\n')
	f.lines++
}

// contents returns the packed lines, which stay valid until the next change.
func (f *frame) contents() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.buf.Bytes()
}

func (f *frame) describe() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Sprintf("frame %d: %d lines, %d bytes, since %s", f.id, f.lines, f.buf.Len(), f.first.Format(time.TimeOnly))
}

// Logger is an access log. Log may be called by any number of goroutines.
type Logger struct {
	out    io.Writer
	max    int
	frames []*frame

	lines chan []byte
	full  chan *frame
	free  chan *frame
	wg    sync.WaitGroup

	closeMu sync.RWMutex
	closed  bool

	errMu sync.Mutex
	err   error // first write error
}

// New starts a logger that writes to out with n frames of max bytes.
func New(out io.Writer, n, max int) *Logger {
	l := &Logger{
		out:   out,
		max:   max,
		lines: make(chan []byte, 256),
		full:  make(chan *frame, n),
		free:  make(chan *frame, n),
	}
	for i := range n {
		f := &frame{id: i}
		l.frames = append(l.frames, f)
		l.free <- f
	}
	l.wg.Go(l.pack)
	l.wg.Go(l.write)
	return l
}

// Log queues one line.
func (l *Logger) Log(line string) error {
	l.closeMu.RLock()
	defer l.closeMu.RUnlock()
	if l.closed {
		return ErrClosed
	}
	l.lines <- []byte(line)
	return nil
}

// Close writes what was queued and returns the first write error.
func (l *Logger) Close() error {
	l.closeMu.Lock()
	if !l.closed {
		l.closed = true
		close(l.lines)
	}
	l.closeMu.Unlock()
	l.wg.Wait()
	return l.Err()
}

// Err returns the first write error so far.
func (l *Logger) Err() error {
	l.errMu.Lock()
	defer l.errMu.Unlock()
	return l.err
}

// Debug describes all frames.
func (l *Logger) Debug() []string {
	out := make([]string, 0, len(l.frames))
	for _, f := range l.frames {
		out = append(out, f.describe())
	}
	return out
}

// pack fills frames. A frame is sent on when the next line does not fit.
func (l *Logger) pack() {
	defer close(l.full)
	cur := <-l.free
	for line := range l.lines {
		if n := cur.size(); n > 0 && n+len(line)+1 > l.max {
			l.full <- cur
			cur = <-l.free
		}
		cur.add(line, time.Now())
	}
	if cur.size() > 0 {
		l.full <- cur
	}
}

// write empties frames and gives them back.
func (l *Logger) write() {
	for f := range l.full {
		if _, err := l.out.Write(f.contents()); err != nil {
			l.note(err)
		}
		f.reset()
		l.free <- f
	}
}

// note keeps the first error.
func (l *Logger) note(err error) {
	l.errMu.Lock()
	defer l.errMu.Unlock()
	if l.err == nil {
		l.err = err
	}
}
