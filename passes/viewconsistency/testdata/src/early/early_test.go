package early

import (
	"errors"
	"testing"
)

func TestSignal(t *testing.T) {
	u := NewUpload()
	go func() {
		close(u.done)
		u.mu.Lock()
		u.err = errors.New("over") // want `early-signal: .*medium confidence: tests mostly do one thing after the other`
		u.mu.Unlock()
	}()
	if u.Wait() == nil {
		t.Fatal()
	}
}
