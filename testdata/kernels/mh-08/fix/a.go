// Package a takes in log lines, keeps them in memory for each stream and
// writes them out in blocks.
package a

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrTooOld is returned for a line that is older than the last one.
var ErrTooOld = errors.New("entry out of order")

// Entry is a log line.
type Entry struct {
	At   time.Time
	Line string
}

// BlockStore keeps the blocks for good.
type BlockStore interface {
	PutBlock(ctx context.Context, stream string, entries []Entry) error
}

// stream is the memory of one stream.
type stream struct {
	labels string

	flushMu sync.Mutex // one flush at a time

	mu      sync.Mutex
	entries []Entry // in order of time, not written out yet
	bytes   int
	lastAt  time.Time
	first   time.Time // arrival of the oldest entry
}

func (s *stream) push(now time.Time, e Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.At.Before(s.lastAt) {
		return ErrTooOld
	}
	if len(s.entries) == 0 {
		s.first = now
	}
	s.entries = append(s.entries, e)
	s.bytes += len(e.Line)
	s.lastAt = e.At
	return nil
}

// due says whether the stream is large or old enough to be written out.
func (s *stream) due(now time.Time, maxBytes int, maxAge time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.entries) == 0 {
		return false
	}
	return s.bytes >= maxBytes || now.Sub(s.first) >= maxAge
}

// pending returns what has to be written out.
func (s *stream) pending() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries[:len(s.entries):len(s.entries)]
}

// flushed drops what has been written out since start.
func (s *stream) flushed(start time.Time, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries[:n] {
		s.bytes -= len(e.Line)
	}
	s.entries = append([]Entry(nil), s.entries[n:]...)
	s.first = start
}

// Ingester owns the streams of one instance.
type Ingester struct {
	store    BlockStore
	maxBytes int
	maxAge   time.Duration

	mu      sync.RWMutex
	streams map[string]*stream
}

// NewIngester returns an ingester without streams.
func NewIngester(store BlockStore, maxBytes int, maxAge time.Duration) *Ingester {
	return &Ingester{
		store:    store,
		maxBytes: maxBytes,
		maxAge:   maxAge,
		streams:  make(map[string]*stream),
	}
}

func (i *Ingester) stream(labels string) *stream {
	i.mu.Lock()
	defer i.mu.Unlock()
	s, ok := i.streams[labels]
	if !ok {
		s = &stream{labels: labels}
		i.streams[labels] = s
	}
	return s
}

// Push adds a line to a stream.
func (i *Ingester) Push(labels string, e Entry) error {
	return i.stream(labels).push(time.Now(), e)
}

// Tail returns the entries of a stream that are still in memory.
func (i *Ingester) Tail(labels string) []Entry {
	return i.stream(labels).pending()
}

// flushStream writes out one stream; on failure the entries stay in memory.
func (i *Ingester) flushStream(ctx context.Context, s *stream) error {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	start := time.Now()
	entries := s.pending()
	if len(entries) == 0 {
		return nil
	}
	if err := i.store.PutBlock(ctx, s.labels, entries); err != nil {
		return err
	}
	s.flushed(start, len(entries))
	return nil
}

// Sweep writes out the streams that are due, or all of them.
func (i *Ingester) Sweep(ctx context.Context, all bool) error {
	i.mu.RLock()
	list := make([]*stream, 0, len(i.streams))
	for _, s := range i.streams {
		list = append(list, s)
	}
	i.mu.RUnlock()

	var errs []error
	now := time.Now()
	for _, s := range list {
		if all || s.due(now, i.maxBytes, i.maxAge) {
			errs = append(errs, i.flushStream(ctx, s))
		}
	}
	return errors.Join(errs...)
}

// Loop sweeps until the context ends.
func (i *Ingester) Loop(ctx context.Context, every time.Duration, report func(error)) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := i.Sweep(ctx, false); err != nil {
				report(err)
			}
		}
	}
}
