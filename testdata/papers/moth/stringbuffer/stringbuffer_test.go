package stringbuffer

import "testing"

func TestRun(t *testing.T) { Run() }

func TestStaleLength(t *testing.T) {
	var s strbuf
	other := &strbuf{[]byte("abc")}
	atPause(t, func() { other.setLength(1) })
	if r := caught(func() { s.appendBuf(other) }); r != errRange {
		t.Errorf("appendBuf: panic with %v, buffer %q; want %v", r, s.b, errRange)
	}
}

func TestFailureIsCaught(t *testing.T) {
	other := &strbuf{[]byte("abc")}
	atPause(t, func() { other.setLength(1) })
	if !fails(other) || fails(other) {
		t.Error("want only the append with the stale length to fail")
	}
}

func TestSelf(t *testing.T) {
	s := &strbuf{[]byte("abc")}
	if s.appendBuf(s); string(s.b) != "abcabc" {
		t.Errorf("appendBuf: buffer %q; want abcabc", s.b)
	}
}

// caught returns what f panics with, nil if it does not.
func caught(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

// atPause lets f run to its end, in a goroutine of its own, at the first pause.
func atPause(t *testing.T, f func()) {
	t.Helper()
	t.Cleanup(func() { pause = func() {} })
	pause = func() {
		pause = func() {} // f itself may pause
		done := make(chan struct{})
		go func() { defer close(done); f() }()
		<-done
	}
}
