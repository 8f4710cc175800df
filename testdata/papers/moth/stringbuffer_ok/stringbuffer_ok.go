// Package stringbufferok is StringBuffer of the MoTH suite (MoTH, Table 1;
// after Flanagan and Freund 2004) put right: append takes the length of the other
// buffer and its characters in one critical section.
package stringbufferok

import (
	"errors"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

// mu guards the buffers, all of them: one may be appended to itself.
var mu sync.Mutex

var errRange = errors.New("index out of range")

type strbuf struct{ b []byte }

// getCharsLocked appends the first n characters to dst, for who holds mu. It panics
// if there are fewer, which a slice expression alone does not: it may go up to the
// capacity.
func (s *strbuf) getCharsLocked(n int, dst *strbuf) {
	if n > len(s.b) {
		panic(errRange)
	}
	dst.b = append(dst.b, s.b[:n]...)
}

func (s *strbuf) setLength(n int) {
	mu.Lock()
	defer mu.Unlock()
	s.b = s.b[:min(n, len(s.b))]
}

func (s *strbuf) appendBuf(other *strbuf) {
	mu.Lock()
	defer mu.Unlock()
	n := len(other.b)
	pause()
	other.getCharsLocked(n, s)
}

// fails appends other to a new buffer and tells whether that panics. The panic
// must not end the program.
func fails(other *strbuf) (failed bool) {
	defer func() { failed = recover() != nil }()
	new(strbuf).appendBuf(other)
	return false
}

// Run appends and deletes at the same time, several times, and returns how many
// appends have failed.
func Run() int {
	failed := 0
	for range 50 {
		other := &strbuf{[]byte("abc")}
		var wg sync.WaitGroup
		wg.Go(func() {
			if fails(other) {
				failed++ // read after Wait
			}
		})
		wg.Go(func() { other.setLength(0) })
		wg.Wait()
	}
	return failed
}
