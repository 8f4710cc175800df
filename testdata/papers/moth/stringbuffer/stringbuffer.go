// Package stringbuffer is StringBuffer of the MoTH suite (MoTH, Table 1; after
// Flanagan and Freund 2004): the append of JDK 1.4, which asks the other buffer
// for its length and then for that many characters. One goroutine appends a
// shared buffer to its own, another deletes from the shared one.
//
// AV1: appendBuf. length; setLength of the other goroutine; getChars: the length
// is stale, there are fewer characters than asked for, and getChars panics, as that
// of Java throws StringIndexOutOfBoundsException.
package stringbuffer

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

func (s *strbuf) length() int {
	mu.Lock()
	defer mu.Unlock()
	return len(s.b)
}

// getChars appends the first n characters to dst. It panics if there are fewer,
// which a slice expression alone does not: it may go up to the capacity.
func (s *strbuf) getChars(n int, dst *strbuf) {
	mu.Lock()
	defer mu.Unlock()
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
	n := other.length() // AV1: the first read
	pause()
	other.getChars(n, s) // AV1: the second read
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
