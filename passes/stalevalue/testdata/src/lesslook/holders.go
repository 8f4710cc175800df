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

// set does not ask at all.
func (l *Lease) set(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holder = id
}

// Drop overwrites the holder who has stolen the lease.
func (l *Lease) Drop(id string) {
	if l.Holder() == id {
		l.set("") // want `check-then-act: l.holder was checked at line`
	}
}

// A Baton is waited for, and never taken from its holder.
type Baton struct {
	mu     sync.Mutex
	free   *sync.Cond
	holder string
	given  int
}

func (b *Baton) Holder() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.holder
}

func (b *Baton) Acquire(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.holder != "" {
		b.free.Wait()
	}
	b.holder = id
}

func (b *Baton) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.holder == "" {
		return
	}
	b.holder = ""
	b.given++
	b.free.Signal()
}

func (b *Baton) Release(id string) {
	if b.Holder() == id {
		b.release()
	}
}

// A Line has a connection, which others replace.
type Line struct {
	mu    sync.Mutex
	conn  *Wire
	drops int
}

type Wire struct{ addr string }

func (l *Line) current() *Wire {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conn
}

func (l *Line) Replace(w *Wire) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = w
}

// drop only asks whether there is one.
func (l *Line) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		l.conn = nil
		l.drops++
	}
}

func (l *Line) Failed(w *Wire) {
	if l.current() == w {
		l.drop() // want `check-then-act: l.conn was checked at line .*Replace`
	}
}

func (l *Line) dropOne(w *Wire) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == w {
		l.conn = nil
		l.drops++
	}
}

// FailedOne asks for the same again.
func (l *Line) FailedOne(w *Wire) {
	if l.current() == w {
		l.dropOne(w)
	}
}
