// Package stringbuffer is the append of the StringBuffer of JDK 1.4 (Flanagan and
// Freund 2004), which the paper about context and witness locks has as an example
// of its pattern, with a lock for each buffer.
//
// Strbuf.AppendFrom holds its receiver and asks the other buffer for its length and
// then for that many bytes. The other one is only locked within each call, and
// Strbuf.Truncate of it may come between: there are fewer bytes than asked for, and
// CopyTo panics.
package stringbuffer

import (
	"errors"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

var errRange = errors.New("index out of range")

type Strbuf struct {
	mu sync.Mutex
	b  []byte
}

func (s *Strbuf) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.b)
}

// CopyTo fills dst with the first bytes. It panics if there are fewer, as getChars
// of Java does; copy alone would not.
func (s *Strbuf) CopyTo(dst []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(dst) > len(s.b) {
		panic(errRange)
	}
	copy(dst, s.b)
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
	n := o.Len() // AV1: the first access
	pause()
	tail := make([]byte, n)
	o.CopyTo(tail) // AV1: the second access
	s.b = append(s.b, tail...)
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
	wg.Go(func() {
		defer func() { _ = recover() }() // the other buffer may be too short
		s.AppendFrom(o)
	})
	wg.Go(func() { o.Truncate(1) })
	wg.Wait()
}
