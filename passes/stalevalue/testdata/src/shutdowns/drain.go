package shutdowns

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Runner is drained: it takes no more jobs, and waits for those that run.
type Runner struct {
	draining atomic.Bool
	running  atomic.Int64
	seen     atomic.Int64
}

// Accept counts after the drain may have asked for the count.
func (r *Runner) Accept(job func()) bool {
	if r.draining.Load() {
		return false
	}
	r.running.Add(1) // want `check-then-act: r.draining was checked at line \d+, but the atomic operations are separate and another goroutine may set it, and find that r.running is zero, before this write of that`
	go r.run(job)
	return true
}

// AcceptFew asks for the count when it has counted, which says nothing of the drain.
func (r *Runner) AcceptFew(job func()) bool {
	if r.draining.Load() {
		return false
	}
	if r.running.Add(1) > 8 { // want `check-then-act: r.draining was checked at line \d+, but the atomic operations are separate and another goroutine may set it, and find that r.running is zero, before this write of that`
		r.running.Add(-1)
		return false
	}
	go r.run(job)
	return true
}

// AcceptFirst counts first, and takes it back.
func (r *Runner) AcceptFirst(job func()) bool {
	r.running.Add(1)
	if r.draining.Load() {
		r.running.Add(-1)
		return false
	}
	go r.run(job)
	return true
}

// AcceptTwice looks again when it has counted.
func (r *Runner) AcceptTwice(job func()) bool {
	if r.draining.Load() {
		return false
	}
	r.running.Add(1)
	if r.draining.Load() {
		r.running.Add(-1)
		return false
	}
	go r.run(job)
	return true
}

// See counts what nobody waits for.
func (r *Runner) See() {
	if !r.draining.Load() {
		r.seen.Add(1)
	}
}

func (r *Runner) run(job func()) {
	defer r.running.Add(-1)
	job()
}

func (r *Runner) Drain() int64 {
	r.draining.Store(true)
	for r.running.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
	return r.seen.Load()
}

// A Booth has both under one lock.
type Booth struct {
	mu     sync.Mutex
	closed bool
	inside int
}

func (b *Booth) Enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.inside++
	return true
}

func (b *Booth) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// EnterLate lets the lock go in between.
func (b *Booth) EnterLate() bool {
	if b.isClosed() {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inside++ // want `check-then-act: b.closed was checked at line \d+, but b.mu was released when isClosed returned and another goroutine may set it, and find that b.inside is zero`
	return true
}

func (b *Booth) Leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inside--
}

// Close reports whether nobody is inside.
func (b *Booth) Close() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return b.inside == 0
}
