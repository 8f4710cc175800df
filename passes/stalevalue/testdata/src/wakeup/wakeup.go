// Package wakeup has condition variables whose waiters test more than their mutex guards.
package wakeup

import (
	"sync"
	"sync/atomic"
)

// A Gate opens once.
type Gate struct {
	mu   sync.Mutex
	cond *sync.Cond
	open atomic.Bool
}

func NewGate() *Gate {
	g := new(Gate)
	g.cond = sync.NewCond(&g.mu)
	return g
}

func (g *Gate) Pass() {
	g.mu.Lock()
	for !g.open.Load() {
		g.cond.Wait() // want `the wait depends on g.open, tested at line \d+; \(\*Gate\).Open changes it and signals without g.mu \(wakeup.go:\d+\), and both may happen before this wait begins, which then misses the wake-up`
	}
	g.mu.Unlock()
}

func (g *Gate) Open() {
	g.open.Store(true)
	g.cond.Broadcast()
}

// A Barrier is a Gate that takes the mutex for the signal.
type Barrier struct {
	mu   sync.Mutex
	cond *sync.Cond
	open atomic.Bool
	down atomic.Bool
}

func NewBarrier() *Barrier {
	b := new(Barrier)
	b.cond = sync.NewCond(&b.mu)
	return b
}

func (b *Barrier) Pass() {
	b.mu.Lock()
	for !b.open.Load() && !b.down.Load() {
		b.cond.Wait()
	}
	b.mu.Unlock()
}

func (b *Barrier) Open() {
	b.open.Store(true)
	b.mu.Lock()
	b.cond.Broadcast()
	b.mu.Unlock()
}

// Down passes through a section of the mutex between the change and the signal.
func (b *Barrier) Down() {
	b.down.Store(true)
	b.touch()
	b.cond.Broadcast()
}

func (b *Barrier) touch() {
	b.mu.Lock()
	defer b.mu.Unlock()
}

// A Buffer has its condition variable by value, and helpers on both sides.
type Buffer struct {
	mu   sync.Mutex
	cond sync.Cond
	list []int

	endMu sync.Mutex
	ended bool
}

func NewBuffer() *Buffer {
	b := new(Buffer)
	b.cond.L = &b.mu
	return b
}

func (b *Buffer) isEnded() bool {
	b.endMu.Lock()
	defer b.endMu.Unlock()
	return b.ended
}

func (b *Buffer) end() {
	b.endMu.Lock()
	b.ended = true
	b.endMu.Unlock()
}

func (b *Buffer) wake() { b.cond.Broadcast() }

func (b *Buffer) Take() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.list) == 0 {
		if b.isEnded() {
			return 0
		}
		b.cond.Wait() // want `the wait depends on b.ended, tested at line \d+; \(\*Buffer\).Close changes it and signals without b.mu`
	}
	n := b.list[0]
	b.list = b.list[1:]
	return n
}

// Put changes the list under the mutex: it may signal without it.
func (b *Buffer) Put(n int) {
	b.mu.Lock()
	b.list = append(b.list, n)
	b.mu.Unlock()
	b.wake()
}

func (b *Buffer) Close() {
	b.end()
	b.wake()
}

var (
	slots   = make(chan int, 8)
	slotsMu sync.Mutex
	free    = sync.NewCond(&slotsMu)
)

func Fill() {
	slotsMu.Lock()
	defer slotsMu.Unlock()
	for len(slots) == cap(slots) {
		free.Wait() // want `the wait depends on slots, tested at line \d+; Drain changes it and signals without slotsMu`
	}
	slots <- 1
}

func Drain() int {
	n := <-slots
	free.Signal()
	return n
}

// A Turn has a mutex that only its condition variable refers to.
type Turn struct {
	cond *sync.Cond
	n    atomic.Int64
	last atomic.Int64
}

func NewTurn() *Turn { return &Turn{cond: sync.NewCond(new(sync.Mutex))} }

func (t *Turn) Wait(n int64) {
	t.cond.L.Lock()
	defer t.cond.L.Unlock()
	for t.n.Load() < n {
		t.cond.Wait() // want `the wait depends on t.n, tested at line \d+; \(\*Turn\).Next changes it`
	}
}

func (t *Turn) Next() {
	t.n.Add(1)
	t.cond.Broadcast()
}

func (t *Turn) WaitLast(n int64) {
	t.cond.L.Lock()
	defer t.cond.L.Unlock()
	for t.last.Load() < n {
		t.cond.Wait()
	}
}

func (t *Turn) Last() {
	t.cond.L.Lock()
	defer t.cond.L.Unlock()
	t.last.Add(1)
	t.cond.Broadcast()
}

// A Spool is waited for by callees.
type Spool struct {
	mu    sync.Mutex
	cond  *sync.Cond
	queue []int
}

func NewSpool() *Spool {
	s := new(Spool)
	s.cond = sync.NewCond(&s.mu)
	return s
}

func (s *Spool) Post(n int) {
	s.mu.Lock()
	s.queue = append(s.queue, n)
	s.mu.Unlock()
	s.cond.Signal()
}

// waitLocked looks again after each wait.
func (s *Spool) waitLocked() bool {
	for len(s.queue) == 0 {
		s.cond.Wait()
	}
	return len(s.queue) > 1
}

// firstLocked waits after it has looked.
func (s *Spool) firstLocked() int {
	n := len(s.queue)
	if n == 0 {
		s.cond.Wait()
	}
	return n
}

func (s *Spool) Take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waitLocked() {
		s.queue = s.queue[1:]
	}
	return s.queue[0]
}

func (s *Spool) TakeAnyway() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.firstLocked() > 0 {
		s.queue = s.queue[1:] // want `s.queue was checked at line \d+`
	}
}

// A Log is written by another goroutine.
type Log struct {
	mu             sync.Mutex
	cond           *sync.Cond
	added, written int
}

func (l *Log) Add() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.added++
	l.cond.Broadcast()
}

func (l *Log) Written(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.written = n
	l.cond.Broadcast()
}

// Sync waits for what was added before it, and not for what is added while it waits.
func (l *Log) Sync() {
	l.mu.Lock()
	defer l.mu.Unlock()
	want := l.added
	for l.written < want {
		l.cond.Wait()
	}
}
