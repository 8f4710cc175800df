package locallog

import (
	"io"
	"strings"
	"testing"
)

func TestRun(t *testing.T) { Run() }

func TestOnlyLogged(t *testing.T) {
	var log strings.Builder
	logger.SetOutput(&log)
	t.Cleanup(func() { logger.SetOutput(io.Discard) })

	c := new(cell)
	atPause(t, func() { replace(c, 2) })
	replace(c, 1)
	// As if the second goroutine had gone first, but for the log.
	if c.n != 1 {
		t.Errorf("n = %d; want 1", c.n)
	}
	if got, want := log.String(), "was 0\nwas 0\n"; got != want {
		t.Errorf("log = %q; want %q", got, want)
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
