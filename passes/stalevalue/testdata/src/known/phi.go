package known

import "sync"

// A device that a loop opens, and that is nil again in the next round: the value
// that is compared with nil is made of itself by way of two phis.

type Device struct {
	mu  sync.RWMutex
	dev *int
}

func (d *Device) Heartbeat(work func() bool) {
	var dev *int
	for dev == nil {
		if work() {
			continue
		}
		d.mu.RLock()
		dev = d.dev
		d.mu.RUnlock()
		if work() {
			d.mu.Lock()
			d.dev = nil // FALSE: check-then-act: the loop is decided by an earlier round
			d.mu.Unlock()
		}
	}
}
