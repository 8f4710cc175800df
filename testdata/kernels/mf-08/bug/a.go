// Package a holds the most recent log lines of a tenant per stream.
package a

import (
	"sync"
	"time"
)

// Entry is one log line.
type Entry struct {
	Time time.Time
	Line string
}

// Sink takes the entries that are flushed.
type Sink func(labels string, entries []Entry)

// stream has the lines of one label set that are not flushed yet.
type stream struct {
	labels string

	mu      sync.Mutex
	entries []Entry
}

func (s *stream) push(entries []Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries, entries...)
}

// cut takes the pending entries out of the stream.
func (s *stream) cut() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.entries
	s.entries = nil
	return out
}

// instance has the streams of one tenant.
// Lock order: instance.mu, stream.mu.
type instance struct {
	sink Sink

	mu      sync.RWMutex
	streams map[string]*stream
}

func newInstance(sink Sink) *instance {
	return &instance{sink: sink, streams: make(map[string]*stream)}
}

func (i *instance) getOrCreateStream(labels string) *stream {
	i.mu.Lock()
	defer i.mu.Unlock()
	s, ok := i.streams[labels]
	if !ok {
		s = &stream{labels: labels}
		i.streams[labels] = s
	}
	return s
}

// Push appends entries to the stream with these labels.
func (i *instance) Push(labels string, entries []Entry) {
	s := i.getOrCreateStream(labels)
	s.push(entries)
}

func (i *instance) all() []*stream {
	i.mu.RLock()
	defer i.mu.RUnlock()
	out := make([]*stream, 0, len(i.streams))
	for _, s := range i.streams {
		out = append(out, s)
	}
	return out
}

// flush hands everything that is pending to the sink.
func (i *instance) flush() {
	for _, s := range i.all() {
		if entries := s.cut(); len(entries) > 0 {
			i.sink(s.labels, entries)
		}
	}
}

// sweep forgets the streams that have nothing left to flush.
func (i *instance) sweep() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for labels, s := range i.streams {
		s.mu.Lock()
		if len(s.entries) == 0 {
			delete(i.streams, labels)
		}
		s.mu.Unlock()
	}
}

// loop flushes and sweeps until stop is closed.
func (i *instance) loop(every time.Duration, stop <-chan struct{}) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			i.flush()
			i.sweep()
		case <-stop:
			i.flush()
			return
		}
	}
}

// Ingester is the entry point of the package.
type Ingester struct {
	inst *instance
	stop chan struct{}
	once sync.Once
}

func NewIngester(sink Sink, every time.Duration) *Ingester {
	ing := &Ingester{inst: newInstance(sink), stop: make(chan struct{})}
	go ing.inst.loop(every, ing.stop)
	return ing
}

// Push stores entries; it must not be called after Stop.
func (ing *Ingester) Push(labels string, entries ...Entry) { ing.inst.Push(labels, entries) }

// Stop ends the flush loop.
func (ing *Ingester) Stop() { ing.once.Do(func() { close(ing.stop) }) }
