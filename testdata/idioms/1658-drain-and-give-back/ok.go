package a

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

// Sink counts events and sends the counts to a server from time to time.
type Sink struct {
	send func(counts map[string]int64) error

	mu     sync.Mutex
	counts map[string]int64
	sent   int64
	since  time.Time
}

// NewSink returns a sink. send must not keep or change the map.
func NewSink(send func(map[string]int64) error) *Sink {
	return &Sink{send: send, counts: make(map[string]int64), since: time.Now()}
}

// Add counts n events.
func (s *Sink) Add(name string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[name] += n
}

// Flush sends what was counted since the last Flush.
func (s *Sink) Flush() error {
	s.mu.Lock()
	batch := s.counts
	s.counts = make(map[string]int64, len(batch))
	s.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}

	err := s.send(batch)

	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		for name, n := range batch {
			s.counts[name] += n
		}
		return err
	}
	s.sent++
	return nil
}

// Report prints the counts that wait to be sent.
func (s *Sink) Report(w io.Writer) error {
	s.mu.Lock()
	counts, sent, at := maps.Clone(s.counts), s.sent, time.Now()
	s.mu.Unlock()

	if _, err := fmt.Fprintf(w, "at %s, up %s, %d batches\n", at.Format(time.RFC3339), at.Sub(s.since), sent); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if _, err := fmt.Fprintf(w, "%s %d\n", name, counts[name]); err != nil {
			return err
		}
	}
	return nil
}
