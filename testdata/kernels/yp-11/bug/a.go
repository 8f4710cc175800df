package a

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
)

// Log is the output of one build. It can be read while the build runs.
type Log struct {
	mu    sync.Mutex
	lines []string
	tails map[chan string]struct{}
	done  bool
}

func NewLog() *Log { return &Log{tails: make(map[chan string]struct{})} }

// Append adds a line and hands it to the tails. A tail that does not keep up
// is cut off.
func (l *Log) Append(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	for t := range l.tails {
		select {
		case t <- line:
		default:
			delete(l.tails, t)
			close(t)
		}
	}
}

// Finish ends all tails.
func (l *Log) Finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done = true
	for t := range l.tails {
		delete(l.tails, t)
		close(t)
	}
}

// Lines returns what has been written so far.
func (l *Log) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

func (l *Log) attach() (<-chan string, func()) {
	t := make(chan string, 256)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		close(t)
		return t, func() {}
	}
	l.tails[t] = struct{}{}
	return t, sync.OnceFunc(func() { l.detach(t) })
}

func (l *Log) detach(t chan string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.tails[t]; ok {
		delete(l.tails, t)
		close(t)
	}
}

// Follow copies the whole log to w, first what is there and then every line
// as it comes, until the build ends.
func (l *Log) Follow(ctx context.Context, w io.Writer) error {
	for _, line := range l.Lines() {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	tail, detach := l.attach()
	defer detach()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, ok := <-tail:
			if !ok {
				return nil
			}
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
		}
	}
}

// Server runs builds and shows their logs.
type Server struct {
	mu   sync.RWMutex
	logs map[string]*Log
}

func NewServer() *Server { return &Server{logs: make(map[string]*Log)} }

// Start consumes the output of a build in the background.
func (s *Server) Start(id string, output io.Reader) bool {
	l := NewLog()
	s.mu.Lock()
	if _, dup := s.logs[id]; dup {
		s.mu.Unlock()
		return false
	}
	s.logs[id] = l
	s.mu.Unlock()
	go func() {
		defer l.Finish()
		sc := bufio.NewScanner(output)
		for sc.Scan() {
			l.Append(sc.Text())
		}
	}()
	return true
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.RLock()
	l, ok := s.logs[r.FormValue("build")]
	s.mu.RUnlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_ = l.Follow(r.Context(), w)
}
