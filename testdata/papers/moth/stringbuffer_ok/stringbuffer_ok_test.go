package stringbufferok

import (
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if n := Run(); n != 0 {
		t.Errorf("%d appends failed", n)
	}
}

func TestStaleLength(t *testing.T) {
	var s strbuf
	other := &strbuf{[]byte("abc")}
	wait := atPause(t, func() { other.setLength(1) })
	s.appendBuf(other)
	wait()
	if string(s.b) != "abc" {
		t.Errorf("appendBuf: buffer %q; want abc", s.b)
	}
}

func TestSelf(t *testing.T) {
	s := &strbuf{[]byte("abc")}
	if s.appendBuf(s); string(s.b) != "abcabc" {
		t.Errorf("appendBuf: buffer %q; want abcabc", s.b)
	}
}

// atPause starts f, in a goroutine of its own, at the first pause, where f has
// to wait for the critical section to end. The function returned waits for f.
func atPause(t *testing.T, f func()) (wait func()) {
	t.Helper()
	t.Cleanup(func() { pause = func() {} })
	done := make(chan struct{})
	pause = func() {
		pause = func() {} // f itself may pause
		go func() { defer close(done); f() }()
		select {
		case <-done:
			t.Error("the other goroutine came between")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return func() { <-done }
}
