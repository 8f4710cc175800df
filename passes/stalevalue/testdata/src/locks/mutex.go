// Package locks reads under a lock, lets go, and acts under the same lock
// later, with locks of all kinds.
package locks

import "sync"

// A Tally is guarded by a mutex.
type Tally struct {
	mu    sync.Mutex
	n     int
	limit int
}

func (t *Tally) Double() {
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	t.mu.Lock()
	t.n = n * 2 // want `lost-update: t\.n was read at line \d+, but t\.mu was released at line \d+ and an update by another goroutine is lost by this write`
	t.mu.Unlock()
}

func (t *Tally) DoubleAtOnce() {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.n
	t.n = n * 2
}

func (t *Tally) SetLimit(limit int) {
	t.mu.Lock()
	t.limit = limit
	t.mu.Unlock()
}

// Admit counts up to the limit, and sometimes beyond it.
func (t *Tally) Admit() bool {
	t.mu.Lock()
	full := t.n >= t.limit
	t.mu.Unlock()
	if full {
		return false
	}
	t.mu.Lock()
	t.n++ // want `check-then-act: t\.(n|limit) was checked at line \d+, but t\.mu was released at line \d+ and another goroutine may change it before this write`
	t.mu.Unlock()
	return true
}

func (t *Tally) AdmitAtOnce() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n >= t.limit {
		return false
	}
	t.n++
	return true
}

// Early lets go in one branch only, and takes the lock again there.
func (t *Tally) Early(notify func(int)) {
	t.mu.Lock()
	n := t.n
	if n > 10 {
		t.mu.Unlock()
		notify(n)
		t.mu.Lock()
	}
	t.n = n / 2 // want `lost-update: t\.n was read at line \d+`
	t.mu.Unlock()
}

func (t *Tally) EarlyReread(notify func(int)) {
	t.mu.Lock()
	if t.n > 10 {
		t.mu.Unlock()
		notify(10)
		t.mu.Lock()
	}
	n := t.n
	t.n = n / 2
	t.mu.Unlock()
}

// A Merge works on two objects: each has a lock of its own.
func Merge(dst, src *Tally) {
	src.mu.Lock()
	n := src.n
	src.mu.Unlock()
	dst.mu.Lock()
	dst.n += n
	dst.mu.Unlock()
}

// Overwrite copies from one object to another.
func Overwrite(dst, src *Tally) {
	src.mu.Lock()
	n := src.n
	src.mu.Unlock()
	dst.mu.Lock()
	dst.n = n
	dst.mu.Unlock()
}
