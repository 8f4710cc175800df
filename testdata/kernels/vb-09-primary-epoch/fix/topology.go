package replica

import "sync"

// Topology knows which node is primary and in which epoch it was elected.
type Topology struct {
	mu      sync.Mutex
	primary string
	epoch   int64
}

func (t *Topology) SetPrimary(addr string) {
	t.mu.Lock()
	t.primary = addr
	t.mu.Unlock()
}

func (t *Topology) SetEpoch(e int64) {
	t.mu.Lock()
	t.epoch = e
	t.mu.Unlock()
}

func (t *Topology) Elect(addr string, e int64) {
	t.mu.Lock()
	t.primary, t.epoch = addr, e
	t.mu.Unlock()
}

func (t *Topology) Current() (addr string, epoch int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.primary, t.epoch
}
