// Package fix takes in log lines, holds them by stream and flushes them.
package fix

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

var (
	ErrStreamLimit = errors.New("ingest: too many streams")
	ErrStreamFull  = errors.New("ingest: stream is full")

	errGone = errors.New("ingest: stream was swept")
)

const maxLines = 10000

type Line struct {
	At   time.Time
	Text string
}

// Sink takes over the lines of a stream.
type Sink interface {
	Store(labels string, lines []Line)
}

type stream struct {
	labels string

	mu    sync.Mutex
	lines []Line
	used  time.Time
	gone  bool
}

func (st *stream) push(now time.Time, lines []Line) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.gone {
		return errGone
	}
	if len(st.lines)+len(lines) > maxLines {
		return ErrStreamFull
	}
	st.lines = append(st.lines, lines...)
	st.used = now
	return nil
}

func (st *stream) drain() []Line {
	st.mu.Lock()
	defer st.mu.Unlock()
	out := st.lines
	st.lines = nil
	return out
}

// idle needs st.mu.
func (st *stream) idle(since time.Time) bool {
	return len(st.lines) == 0 && st.used.Before(since)
}

type Ingester struct {
	sink  Sink
	limit int

	mu      sync.RWMutex
	streams map[string]*stream
}

func New(sink Sink, limit int) *Ingester {
	return &Ingester{sink: sink, limit: limit, streams: make(map[string]*stream)}
}

func (in *Ingester) stream(labels string, now time.Time) (*stream, error) {
	in.mu.RLock()
	st, ok := in.streams[labels]
	in.mu.RUnlock()
	if ok {
		return st, nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if st, ok := in.streams[labels]; ok {
		return st, nil
	}
	if len(in.streams) >= in.limit {
		return nil, ErrStreamLimit
	}
	st = &stream{labels: labels, used: now}
	in.streams[labels] = st
	return st, nil
}

// Push is called by the request handlers.
func (in *Ingester) Push(labels string, lines ...Line) error {
	now := time.Now()
	for {
		st, err := in.stream(labels, now)
		if err != nil {
			return err
		}
		if err := st.push(now, lines); err != errGone {
			return err
		}
	}
}

// Flush hands all lines to the sink.
func (in *Ingester) Flush() {
	in.mu.RLock()
	all := slices.Collect(maps.Values(in.streams))
	in.mu.RUnlock()
	for _, st := range all {
		if lines := st.drain(); len(lines) > 0 {
			in.sink.Store(st.labels, lines)
		}
	}
}

// Sweep forgets the streams that nobody has written to since the given time.
func (in *Ingester) Sweep(since time.Time) (n int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for labels, st := range in.streams {
		st.mu.Lock()
		if st.idle(since) {
			st.gone = true
			delete(in.streams, labels)
			n++
		}
		st.mu.Unlock()
	}
	return n
}
