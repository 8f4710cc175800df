package vectordata

import "testing"

func TestRun(t *testing.T) { Run() }

func TestElementsAreMissing(t *testing.T) {
	v := &Vec{count: 3, data: []any{"a", "b", "c"}}
	atPause(t, v.Clear)
	w := NewVecFrom(v)
	if w.Len() != 3 || w.Get(0) != nil {
		t.Errorf("length %d, elements %v; want length 3 and nothing there", w.Len(), w.data)
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
