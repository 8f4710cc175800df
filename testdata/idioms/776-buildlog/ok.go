// Package buildlog keeps the output of a build and streams it to those who
// follow it.
package buildlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// ErrFinished is returned when a finished log is written to.
var ErrFinished = errors.New("buildlog: log is finished")

// Log is an append-only list of lines.
type Log struct {
	mu       sync.RWMutex
	lines    []string
	finished bool
	changed  chan struct{} // closed and replaced with each change
}

// New returns an empty log.
func New() *Log { return &Log{changed: make(chan struct{})} }

func (l *Log) notify() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// Append adds a line.
func (l *Log) Append(line string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.finished {
		return ErrFinished
	}
	l.lines = append(l.lines, line)
	l.notify()
	return nil
}

// Finish ends the log.
func (l *Log) Finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.finished {
		l.finished = true
		l.notify()
	}
}

// Changed returns a channel that is closed at the next change.
func (l *Log) Changed() <-chan struct{} {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.changed
}

// Finished reports whether the log has ended.
func (l *Log) Finished() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.finished
}

// Len is the number of lines so far.
func (l *Log) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.lines)
}

// Line returns the line with index i, which must be less than Len.
func (l *Log) Line(i int) string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.lines[i]
}

// Follow writes the lines from index from on to w until the log has ended.
func (l *Log) Follow(ctx context.Context, w io.Writer, from int) error {
	for {
		changed := l.Changed()
		finished := l.Finished()
		for n := l.Len(); from < n; from++ {
			if _, err := fmt.Fprintf(w, "%d\t%s\n", from, l.Line(from)); err != nil {
				return err
			}
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		if finished {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Tail returns the last n lines or fewer.
func (l *Log) Tail(n int) []string {
	size := l.Len()
	out := make([]string, 0, n)
	for i := max(size-n, 0); i < size; i++ {
		out = append(out, l.Line(i))
	}
	return out
}

// ServeHTTP streams the log.
func (l *Log) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from, err := strconv.Atoi(r.URL.Query().Get("from"))
	if err != nil || from < 0 {
		from = 0
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_ = l.Follow(r.Context(), w, from)
}
