package producerconsumer

import "testing"

func TestRun(t *testing.T) { Run() }

// AV1
func TestOverwritten(t *testing.T) {
	b := new(Buffer)
	b.produce(1)
	atPause(t, func() { b.produce(2) })
	b.produce(3)
	if b.count != 3 || b.damaged != 1 {
		t.Errorf("count %d, damaged %d; want 3 elements in 2 places", b.count, b.damaged)
	}
	if x, _ := b.consume(); x != 3 {
		t.Errorf("element %d; want the 3, which has replaced the 1", x)
	}
}

// AV2
func TestConsumedTwice(t *testing.T) {
	b := new(Buffer)
	b.produce(1)
	var theirs int
	atPause(t, func() { theirs, _ = b.consume() })
	ours, ok := b.consume()
	if !ok || ours != 0 || theirs != 1 || b.count != -1 || b.damaged != 1 {
		t.Errorf("elements %d and %d, count %d, damaged %d; want 0, which is none, and 1, -1 and 1", ours, theirs, b.count, b.damaged)
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
