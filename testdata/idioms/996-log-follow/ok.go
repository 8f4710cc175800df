// Package joblog serves the console output of running CI jobs to browsers that
// join at any time and want everything from the first line on.
package joblog

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"sync"
)

// ErrNoStream is returned for jobs that are not known.
var ErrNoStream = errors.New("joblog: no such stream")

// backlog is how many lines a follower may be behind before it is cut off.
const backlog = 256

// stream is the output of one job. All changes and all subscriptions are made
// with Hub.mu held; mu is for size, which the quota checker polls without it.
type stream struct {
	mu        sync.Mutex
	lines     []string
	bytes     int
	finished  bool
	followers map[chan string]struct{}
}

func (s *stream) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

func (s *stream) history() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lines)
}

func (s *stream) attach() chan string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := make(chan string, backlog)
	if s.finished {
		close(ch)
	} else {
		s.followers[ch] = struct{}{}
	}
	return ch
}

func (s *stream) detach(ch chan string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.followers[ch]; ok {
		delete(s.followers, ch)
		close(ch)
	}
}

func (s *stream) append(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
	s.bytes += len(line)
	for ch := range s.followers {
		select {
		case ch <- line:
		default:
			delete(s.followers, ch)
			close(ch)
		}
	}
}

func (s *stream) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finished = true
	for ch := range s.followers {
		close(ch)
	}
	clear(s.followers)
}

// Hub holds the streams of all jobs. It is safe for concurrent use.
type Hub struct {
	mu      sync.Mutex
	streams map[string]*stream
}

// NewHub returns an empty hub.
func NewHub() *Hub { return &Hub{streams: make(map[string]*stream)} }

// Capture reads the console of a job in the background until it ends. The
// returned function reports how much has been read so far.
func (h *Hub) Capture(job string, console io.Reader) (size func() int) {
	s := &stream{followers: make(map[chan string]struct{})}
	h.mu.Lock()
	h.streams[job] = s
	h.mu.Unlock()
	go func() {
		sc := bufio.NewScanner(console)
		for sc.Scan() {
			h.mu.Lock()
			s.append(sc.Text())
			h.mu.Unlock()
		}
		// After an overlong line the job must not block on its console.
		io.Copy(io.Discard, console)
		h.mu.Lock()
		s.finish()
		h.mu.Unlock()
	}()
	return s.size
}

// Follow returns the lines so far and a channel with those to come. The channel
// is closed at the end of the job, by cancel, or if the reader is too slow.
func (h *Hub) Follow(job string) (past []string, next <-chan string, cancel func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.streams[job]
	if !ok {
		return nil, nil, nil, ErrNoStream
	}
	past = s.history()
	ch := s.attach()
	cancel = func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		s.detach(ch)
	}
	return past, ch, cancel, nil
}
