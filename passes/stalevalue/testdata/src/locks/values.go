package locks

import "sync"

// A Till gives its unlock method away.
type Till struct {
	mu   sync.RWMutex
	coin int
}

func (t *Till) open() func() {
	t.mu.Lock()
	return t.mu.Unlock
}

func (t *Till) look() (done func()) {
	t.mu.RLock()
	return t.mu.RUnlock
}

func (t *Till) Pay(n int) {
	shut := t.open()
	have := t.coin
	shut()
	shut = t.open()
	t.coin = have + n // want `lost-update: t.coin was read`
	shut()
}

func (t *Till) PayAtOnce(n int) {
	defer t.open()()
	have := t.coin
	t.coin = have + n
}

func (t *Till) Double() {
	done := t.look()
	have := t.coin
	done()
	defer t.open()()
	t.coin = have * 2 // want `lost-update: t.coin was read`
}

// Triple keeps both methods in variables.
func (t *Till) Triple() {
	lock, unlock := t.mu.Lock, t.mu.Unlock
	lock()
	have := t.coin
	unlock()
	lock()
	t.coin = have * 3 // want `lost-update: t.coin was read`
	unlock()
}

func (t *Till) TripleAtOnce() {
	lock, unlock := t.mu.Lock, t.mu.Unlock
	lock()
	defer unlock()
	have := t.coin
	t.coin = have * 3
}

// watched gives the unlock method away as a literal, and has a deferred call.
func (t *Till) watched(seen func()) func() {
	defer seen()
	t.mu.Lock()
	return func() { t.mu.Unlock() }
}

func (t *Till) Quadruple(seen func()) {
	shut := t.watched(seen)
	have := t.coin
	shut()
	shut = t.watched(seen)
	t.coin = have * 4 // want `lost-update: t.coin was read`
	shut()
}
