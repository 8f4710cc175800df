package callees

import (
	"slices"
	"sync"
)

// A Journal has a callee that lets go of its caller's lock for a while.
type Journal struct {
	mu    sync.Mutex
	lines int
	size  int
	head  *note
	write func(int)
}

func (j *Journal) Append(n int) {
	j.mu.Lock()
	j.lines += n
	j.size += n * 80
	j.mu.Unlock()
}

// flushLocked gives the lock up while it writes.
func (j *Journal) flushLocked() {
	size := j.size
	j.mu.Unlock()
	j.write(size)
	j.mu.Lock()
}

func (j *Journal) Rotate() {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := j.lines
	j.flushLocked()
	j.lines = lines / 2 // want `lost-update: j\.lines was read at line \d+, but j\.mu was released`
}

func (j *Journal) RotateAfter() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flushLocked()
	lines := j.lines
	j.lines = lines / 2
}

// maybeFlushLocked gives the lock up on one way only.
func (j *Journal) maybeFlushLocked() {
	if j.size > 4096 {
		j.mu.Unlock()
		j.write(0)
		j.mu.Lock()
	}
}

func (j *Journal) Head(n *note) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.head == nil {
		j.maybeFlushLocked()
		j.head = n // want `check-then-act: j\.head was checked`
	}
}

func (j *Journal) HeadAgain(n *note) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.head == nil {
		j.maybeFlushLocked()
		if j.head == nil {
			j.head = n
		}
	}
}

func (j *Journal) Behead() {
	j.mu.Lock()
	j.head = nil
	j.mu.Unlock()
}

// release lets go of the lock that its caller took.
func (j *Journal) release() { j.mu.Unlock() }

func (j *Journal) Halve() {
	j.mu.Lock()
	n := j.size
	j.release()
	j.mu.Lock()
	j.size = n / 2 // want `lost-update: j\.size was read at line \d+, but j\.mu was released`
	j.release()
}

// begin takes the lock, unless the journal is closed.
type Ledger struct {
	mu     sync.Mutex
	closed bool
	sum    int
}

func (l *Ledger) begin() bool {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return false
	}
	return true
}

func (l *Ledger) Square() {
	if !l.begin() {
		return
	}
	s := l.sum
	l.mu.Unlock()
	if !l.begin() {
		return
	}
	l.sum = s * s // want `lost-update: l\.sum was read`
	l.mu.Unlock()
}

func (l *Ledger) SquareAtOnce() {
	if !l.begin() {
		return
	}
	defer l.mu.Unlock()
	s := l.sum
	l.sum = s * s
}

func (l *Ledger) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
}

// A Roll has a lock for its names, one for what is done in steps, and one for books.
type Roll struct {
	steps, names, books sync.Mutex
	list                []string
	open                map[string]bool
}

func (r *Roll) find(name string) int {
	r.names.Lock()
	defer r.names.Unlock()
	return slices.Index(r.list, name)
}

func (r *Roll) add(name string) int {
	r.names.Lock()
	defer r.names.Unlock()
	r.list = append(r.list, name)
	return len(r.list) - 1
}

// placeLocked is called under steps; one of its callers has another lock.
func (r *Roll) placeLocked(name string) int {
	if i := r.find(name); i >= 0 {
		return i
	}
	return r.add(name) // want `check-then-act: r\.list was checked at line \d+`
}

// Enter holds the right lock.
func (r *Roll) Enter(name string) int {
	r.steps.Lock()
	defer r.steps.Unlock()
	return r.placeLocked(name)
}

// Open holds the wrong one.
func (r *Roll) Open(name string) int {
	r.books.Lock()
	defer r.books.Unlock()
	r.open[name] = true
	return r.placeLocked(name)
}
