package stringbuffererror

import "testing"

func TestRun(t *testing.T) { Run() }

func TestStaleLength(t *testing.T) {
	var s strbuf
	other := &strbuf{[]byte("abc")}
	atPause(t, func() { other.setLength(1) })
	if err := s.appendBuf(other); err != errRange {
		t.Errorf("appendBuf: %v, buffer %q; want %v", err, s.b, errRange)
	}
}

func TestSelf(t *testing.T) {
	s := &strbuf{[]byte("abc")}
	if err := s.appendBuf(s); err != nil || string(s.b) != "abcabc" {
		t.Errorf("appendBuf: %v, buffer %q; want abcabc", err, s.b)
	}
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
