// Package stringbuffererror is the variant of stringbuffer whose second step
// refuses with an error: append asks the other buffer for its length and then for
// that many characters, and asking for too many returns an error. One goroutine
// appends a shared buffer to its own, another deletes from the shared one.
//
// AV1: appendBuf. length; setLength of the other goroutine; getChars: the length
// is stale, there are fewer characters than asked for, and getChars refuses.
package stringbuffererror

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

// getChars appends the first n characters to dst.
func (s *strbuf) getChars(n int, dst *strbuf) error {
	mu.Lock()
	defer mu.Unlock()
	if n > len(s.b) {
		return errRange
	}
	dst.b = append(dst.b, s.b[:n]...)
	return nil
}

func (s *strbuf) setLength(n int) {
	mu.Lock()
	defer mu.Unlock()
	s.b = s.b[:min(n, len(s.b))]
}

func (s *strbuf) appendBuf(other *strbuf) error {
	n := other.length() // AV1: the first read
	pause()
	return other.getChars(n, s) // AV1: the second read
}

// Run appends and deletes at the same time, several times, and returns how many
// appends have failed.
func Run() int {
	failed := 0
	for range 50 {
		other := &strbuf{[]byte("abc")}
		var wg sync.WaitGroup
		wg.Go(func() {
			if new(strbuf).appendBuf(other) != nil {
				failed++ // read after Wait
			}
		})
		wg.Go(func() { other.setLength(0) })
		wg.Wait()
	}
	return failed
}
