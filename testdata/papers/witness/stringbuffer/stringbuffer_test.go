package stringbuffer

import (
	"sync/atomic"
	"testing"
)

// meanwhile has f run to its end in another goroutine at the first pause.
func meanwhile(t *testing.T, f func()) {
	var reached atomic.Bool
	pause = func() {
		if !reached.CompareAndSwap(false, true) {
			return
		}
		done := make(chan struct{})
		go func() { defer close(done); f() }()
		<-done
	}
	t.Cleanup(func() { pause = func() {} })
}

func TestStaleLength(t *testing.T) {
	s, o := &Strbuf{b: []byte("x")}, &Strbuf{b: []byte("abc")}
	meanwhile(t, func() { o.Truncate(1) })
	if r := caught(func() { s.AppendFrom(o) }); r != errRange {
		t.Errorf("panic with %v, buffer %q; want %v", r, s.b, errRange)
	}
	if s.AppendFrom(o); string(s.b) != "xa" {
		t.Errorf("buffer %q, want xa", s.b)
	}
}

// caught returns what f panics with, nil if it does not.
func caught(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

func TestSelf(t *testing.T) {
	s := &Strbuf{b: []byte("abc")}
	if s.AppendFrom(s); string(s.b) != "abcabc" {
		t.Errorf("buffer %q, want abcabc", s.b)
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
