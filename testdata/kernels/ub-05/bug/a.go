package a

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"
)

// Tailer follows a growing log file and passes its lines on.
type Tailer struct {
	src     *bufio.Reader
	lines   chan string
	done    chan struct{}
	stopped atomic.Bool
	poll    time.Duration
	read    atomic.Int64
}

// NewTailer starts to follow r. The caller ranges over Lines.
func NewTailer(r io.Reader, poll time.Duration) *Tailer {
	t := &Tailer{
		src:   bufio.NewReader(r),
		lines: make(chan string, 64),
		done:  make(chan struct{}),
		poll:  poll,
	}
	go t.follow()
	return t
}

// Lines returns the channel of complete lines.
func (t *Tailer) Lines() <-chan string { return t.lines }

// Read returns the number of lines seen so far.
func (t *Tailer) Read() int64 { return t.read.Load() }

func (t *Tailer) follow() {
	defer close(t.lines)
	var partial strings.Builder
	for {
		chunk, err := t.src.ReadString('\n')
		partial.WriteString(chunk)
		switch {
		case err == nil:
			if !t.emit(strings.TrimRight(partial.String(), "\r\n")) {
				return
			}
			partial.Reset()
		case errors.Is(err, io.EOF):
			select {
			case <-t.done:
				return
			case <-time.After(t.poll):
			}
		default:
			return
		}
	}
}

func (t *Tailer) emit(line string) bool {
	select {
	case t.lines <- line:
		t.read.Add(1)
		return true
	case <-t.done:
		return false
	}
}

// Stopped tells whether Stop was called.
func (t *Tailer) Stopped() bool { return t.stopped.Load() }

// Stop ends the tailer. It may be called any number of times and from any
// goroutine; usually the signal handler and a deferred call both do.
func (t *Tailer) Stop() {
	if t.stopped.Load() {
		return
	}
	t.stopped.Store(true)
	close(t.done)
}

// StopAfter stops the tailer when d has passed.
func (t *Tailer) StopAfter(d time.Duration) *time.Timer {
	return time.AfterFunc(d, t.Stop)
}
