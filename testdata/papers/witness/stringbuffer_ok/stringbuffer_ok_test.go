package stringbuffer_ok

import (
	"sync/atomic"
	"testing"
	"time"
)

// meanwhile has f start in another goroutine at the first pause. f gets a moment
// there, since it may have to wait for a lock; wait waits for its end.
func meanwhile(t *testing.T, f func()) (wait func()) {
	var reached atomic.Bool
	done := make(chan struct{})
	pause = func() {
		if !reached.CompareAndSwap(false, true) {
			return
		}
		go func() { defer close(done); f() }()
		select {
		case <-done:
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Cleanup(func() { pause = func() {} })
	return func() { <-done }
}

func TestStaleLength(t *testing.T) {
	s, o := &Strbuf{b: []byte("x")}, &Strbuf{b: []byte("abc")}
	wait := meanwhile(t, func() { o.Truncate(1) })
	s.AppendFrom(o)
	wait()
	if s.AppendFrom(o); string(s.b) != "xabca" {
		t.Errorf("buffer %q, want xabca", s.b)
	}
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
