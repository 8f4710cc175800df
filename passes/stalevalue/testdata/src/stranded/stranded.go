// Package stranded has workers that end when there is nothing to do.
package stranded

import (
	"sync"
	"sync/atomic"
)

// A Lane has a goroutine while there is something to run.
type Lane struct {
	running atomic.Bool
	mu      sync.Mutex
	queue   []func()
}

func (l *Lane) Post(f func()) {
	l.mu.Lock()
	l.queue = append(l.queue, f)
	l.mu.Unlock()
	if l.running.CompareAndSwap(false, true) {
		go l.run()
	}
}

func (l *Lane) next() func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return nil
	}
	f := l.queue[0]
	l.queue = l.queue[1:]
	return f
}

func (l *Lane) run() {
	for {
		f := l.next()
		if f == nil {
			break
		}
		f()
	}
	l.running.Store(false) // want `check-then-act: l.running is cleared here, after the look at l.queue at line 38: \(\*Lane\).Post \(stranded.go:18\) may add to that in between, and starts no goroutine, as it finds the flag set: what it has added is left there`
}

// runAgain looks at the queue once more when the flag is clear.
func (l *Lane) runAgain() {
	for {
		for f := l.next(); f != nil; f = l.next() {
			f()
		}
		l.running.Store(false)
		l.mu.Lock()
		empty := len(l.queue) == 0
		l.mu.Unlock()
		if empty || !l.running.CompareAndSwap(false, true) {
			return
		}
	}
}

func (l *Lane) PostAgain(f func()) {
	l.mu.Lock()
	l.queue = append(l.queue, f)
	l.mu.Unlock()
	if l.running.CompareAndSwap(false, true) {
		go l.runAgain()
	}
}

// A Track has its flag under the lock of its queue.
type Track struct {
	mu      sync.Mutex
	running bool
	queue   []func()
}

func (t *Track) Post(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = append(t.queue, f)
	if !t.running {
		t.running = true
		go t.run()
	}
}

// run clears the flag in the section that finds the queue empty.
func (t *Track) run() {
	for {
		t.mu.Lock()
		if len(t.queue) == 0 {
			t.running = false
			t.mu.Unlock()
			return
		}
		f := t.queue[0]
		t.queue = t.queue[1:]
		t.mu.Unlock()
		f()
	}
}

// A Belt looks once more in a call that is deferred before the one that clears the flag.
type Belt struct {
	running atomic.Bool
	mu      sync.Mutex
	queue   []func()
}

func (b *Belt) Post(f func()) {
	b.mu.Lock()
	b.queue = append(b.queue, f)
	b.mu.Unlock()
	if !b.running.Load() {
		go b.run()
	}
}

func (b *Belt) next() func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) == 0 {
		return nil
	}
	f := b.queue[0]
	b.queue = b.queue[1:]
	return f
}

func (b *Belt) isEmpty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue) == 0
}

func (b *Belt) run() {
	if !b.running.CompareAndSwap(false, true) {
		return
	}
	defer func() {
		if !b.isEmpty() {
			b.run()
		}
	}()
	defer b.running.Store(false)
	for f := b.next(); f != nil; f = b.next() {
		f()
	}
}

// A Ramp has its goroutine in a group.
type Ramp struct {
	running atomic.Bool
	mu      sync.Mutex
	queue   []func()
	group   sync.WaitGroup
}

func (r *Ramp) Post(f func()) {
	r.mu.Lock()
	r.queue = append(r.queue, f)
	r.mu.Unlock()
	if r.running.CompareAndSwap(false, true) {
		r.group.Go(r.run)
	}
}

func (r *Ramp) next() func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) == 0 {
		return nil
	}
	f := r.queue[0]
	r.queue = r.queue[1:]
	return f
}

func (r *Ramp) run() {
	for {
		f := r.next()
		if f == nil {
			break
		}
		f()
	}
	r.running.Store(false) // want `check-then-act: r.running is cleared here, after the look at r.queue`
}
