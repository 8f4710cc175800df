package acts

import (
	"io"
	"sync"
	"sync/atomic"
)

// A Filter writes to a sink that is closed with it.
type Filter struct {
	mu     sync.Mutex
	closed atomic.Bool
	sink   interface {
		io.Closer
		Flush() error
		Put(b []byte)
	}
	log interface{ Note(s string) }
}

// Close ends the sink.
func (f *Filter) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log.Note("closed")
	f.sink.Close()
	f.closed.Store(true)
}

// Flush looks and uses in one section.
func (f *Filter) Flush() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed.Load() {
		return io.ErrClosedPipe
	}
	f.log.Note("flush")
	return f.sink.Flush()
}

// Write may use a sink that is closed.
func (f *Filter) Write(b []byte) {
	if f.closed.Load() {
		return
	}
	f.mu.Lock()
	f.sink.Put(b) // want `f.closed was checked at line 43, but .* another goroutine may set it and end f.sink before this use`
	f.mu.Unlock()
}

// WriteChecked looks again.
func (f *Filter) WriteChecked(b []byte) {
	if f.closed.Load() {
		return
	}
	f.mu.Lock()
	if !f.closed.Load() {
		f.sink.Put(b)
	}
	f.mu.Unlock()
}

// Trace uses what is not ended with the filter: others note something, too.
func (f *Filter) Trace(s string) {
	if f.closed.Load() {
		return
	}
	f.mu.Lock()
	f.log.Note(s)
	f.mu.Unlock()
}

// Peek uses the sink without the lock, as the sink has one of its own.
func (f *Filter) Peek(b []byte) {
	if !f.closed.Load() {
		f.sink.Put(b)
	}
}

// A Spout has a sink of which nobody else asks whether it is closed.
type Spout struct {
	mu     sync.Mutex
	closed atomic.Bool
	sink   interface {
		io.Closer
		Put(b []byte)
	}
}

// Close ends the sink.
func (s *Spout) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sink.Close()
	s.closed.Store(true)
}

// Write is used as the sink allows: the flag is a hint.
func (s *Spout) Write(b []byte) {
	if s.closed.Load() {
		return
	}
	s.mu.Lock()
	s.sink.Put(b)
	s.mu.Unlock()
}
