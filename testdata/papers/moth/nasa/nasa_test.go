package nasa

import "testing"

func TestRun(t *testing.T) { Run() }

func TestUnnoticedLoss(t *testing.T) {
	a := new(agent)
	var ok bool
	atPause(t, func() {
		destroy(a)
		ok = daemon(a, 3)
	})
	task(a, 7)
	if !ok {
		t.Error("the daemon noticed the loss; want it silent")
	}
	if e := a.table[property]; !e.achieved || a.state[property] == e.value {
		t.Errorf("%+v, state %d; want a lost property noted as achieved", e, a.state[property])
	}
}

// destroy is a fault of the system.
func destroy(a *agent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state[property] = 0
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
