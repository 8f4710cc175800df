// Package stringbuffer_ok is the append of the StringBuffer of JDK 1.4 (Flanagan and
// Freund 2004), which the paper about context and witness locks has as an example
// of its pattern, with a lock for each buffer, repaired.
//
// Strbuf.AppendFrom asks the other buffer for its bytes with one call, so that they
// are all of one moment.
package stringbuffer_ok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type Strbuf struct {
	mu sync.Mutex
	b  []byte
}

// Bytes returns a copy of the bytes.
func (s *Strbuf) Bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.b)
	pause()
	return append(make([]byte, 0, n), s.b[:n]...)
}

func (s *Strbuf) Truncate(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = s.b[:min(n, len(s.b))]
}

func (s *Strbuf) AppendFrom(o *Strbuf) {
	if o == s {
		s.double() // a mutex cannot be locked twice
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = append(s.b, o.Bytes()...)
}

// double appends a buffer to itself.
func (s *Strbuf) double() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = append(s.b, s.b...)
}

// Only one of the two is ever the receiver: crosswise calls could deadlock.
func Run() {
	s, o := &Strbuf{}, &Strbuf{b: []byte("abc")}
	var wg sync.WaitGroup
	wg.Go(func() { s.AppendFrom(o) })
	wg.Go(func() { o.Truncate(1) })
	wg.Wait()
}
