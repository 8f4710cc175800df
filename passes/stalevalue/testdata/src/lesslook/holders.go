package lesslook

import "sync"

// A Lease has a holder, and may be taken from it.
type Lease struct {
	mu     sync.Mutex
	holder string
	given  int
}

func (l *Lease) Holder() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holder
}

func (l *Lease) heldBy(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holder == id
}

func (l *Lease) Acquire(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder != "" {
		return false
	}
	l.holder = id
	return true
}

// Steal gives the lease to another one.
func (l *Lease) Steal(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holder = id
}

// release only asks whether there is a holder.
func (l *Lease) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == "" {
		return
	}
	l.holder = ""
	l.given++
}

func (l *Lease) Release(id string) {
	if l.Holder() == id {
		l.release() // want `check-then-act: l.holder was checked at line .*Steal`
	}
}

func (l *Lease) ReleaseHeld(id string) {
	if !l.heldBy(id) {
		return
	}
	l.release() // want `check-then-act: l.holder was checked at line .*Steal`
}

// A Turn is never taken from its holder.
type Turn struct {
	mu     sync.Mutex
	holder string
	given  int
}

func (t *Turn) Holder() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.holder
}

func (t *Turn) Acquire(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holder != "" {
		return false
	}
	t.holder = id
	return true
}

func (t *Turn) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holder == "" {
		return
	}
	t.holder = ""
	t.given++
}

func (t *Turn) Release(id string) {
	if t.Holder() == id {
		t.release()
	}
}
