package mechanisms

import (
	"maps"
	"sync"
	"sync/atomic"
)

type offer struct{ until int64 }

// A market is replaced as a whole by its writers.
type market struct {
	mu     sync.Mutex
	offers map[string]offer
	view   atomic.Pointer[map[string]offer]
}

func (m *market) Put(k string, o offer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := maps.Clone(m.offers)
	next[k] = o
	m.offers = next
	m.view.Store(&next)
}

func (m *market) snapshot() map[string]offer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.offers
}

func anyExpired(offers map[string]offer, now int64) bool {
	for _, o := range offers {
		if o.until <= now {
			return true
		}
	}
	return false
}

// Expire asks each offer again when it makes the new map.
func (m *market) Expire(now int64) {
	if !anyExpired(m.snapshot(), now) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	next := make(map[string]offer)
	for k, o := range m.offers {
		if o.until > now {
			next[k] = o
		}
	}
	m.offers = next
}

// ExpireView does so with an atomic pointer that is written under the lock.
func (m *market) ExpireView(now int64) {
	due := false
	for _, o := range *m.view.Load() {
		due = due || o.until <= now
	}
	if !due {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	next := make(map[string]offer)
	for k, o := range *m.view.Load() {
		if o.until > now {
			next[k] = o
		}
	}
	m.view.Store(&next)
}

// ExpireAll drops the offers that have been put in since, which are not expired.
func (m *market) ExpireAll(now int64) {
	if !anyExpired(m.snapshot(), now) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.offers = make(map[string]offer) // want `lost-update: m\.offers was read at line \d+`
}

// ExpireListed makes the new map of the offers that it has seen.
func (m *market) ExpireListed(now int64) {
	offers := m.snapshot()
	next := make(map[string]offer)
	for k, o := range offers {
		if o.until > now {
			next[k] = o
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.offers = next // want `lost-update: m\.offers was read at line \d+`
}

// A flowCount is used by an interface of another package, which starts its loop.
type flowCount struct {
	total atomic.Int64
	in    chan int64
	quit  chan struct{}
}

// loop waits for what it is sent, as the one goroutine of the flowCount does: two of them would share its channels.
func (m *flowCount) loop() {
	for {
		select {
		case n := <-m.in:
			m.total.Store(m.total.Load() + n)
		case <-m.quit:
			return
		}
	}
}

// A levelCount is set by whoever has it.
type levelCount struct{ total atomic.Int64 }

func (m *levelCount) add(n int64) {
	m.total.Store(m.total.Load() + n) // want `lost-update: m\.total was read at line \d+`
}
