// Package lengths has channels whose length is asked.
package lengths

import (
	"sync"
	"sync/atomic"
)

// A Feed drops the oldest value if it is full.
type Feed struct {
	mu    sync.Mutex
	queue chan int
}

func NewFeed() *Feed { return &Feed{queue: make(chan int, 8)} }

// Values is the other end.
func (f *Feed) Values() <-chan int { return f.queue }

// Send has the receiver as a rival, who takes what it wants to drop. Nobody else sends.
func (f *Feed) Send(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) == cap(f.queue) {
		<-f.queue // want `check-then-act: the length of Feed.queue was asked at line \d+, and \(\*Feed\)\.Values \(lengths\.go:\d+\) may receive before this receive does: then it is empty, and this waits`
	}
	f.queue <- n
}

// SendOrDrop does both in one step.
func (f *Feed) SendOrDrop(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) == cap(f.queue) {
		select {
		case <-f.queue:
		default:
		}
	}
	f.queue <- n
}

// A Mailbox has many senders.
type Mailbox struct {
	mu      sync.RWMutex
	letters chan string
	alone   chan string
}

// Post shares the lock with other senders.
func (m *Mailbox) Post(s string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if cap(m.letters) <= len(m.letters) {
		return false
	}
	m.letters <- s // want `check-then-act: the length of Mailbox.letters was asked at line \d+, and \(\*Mailbox\)\.Post \(lengths\.go:\d+\) may send before this send does: then it is full, and this waits`
	return true
}

// PostAlone keeps other senders out.
func (m *Mailbox) PostAlone(s string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.alone) < cap(m.alone) {
		m.alone <- s
		return true
	}
	return false
}

func (m *Mailbox) Read() (string, string) { return <-m.letters, <-m.alone }

// A Worker is the only receiver of its channel.
type Worker struct{ tasks chan func() }

func Start() *Worker {
	w := &Worker{tasks: make(chan func(), 8)}
	go w.run()
	return w
}

func (w *Worker) Do(task func()) { w.tasks <- task }

func (w *Worker) run() {
	for task := range w.tasks {
		task()
		for len(w.tasks) > 0 {
			(<-w.tasks)()
		}
		w.one()
	}
}

// one is called by the goroutine of the worker alone.
func (w *Worker) one() { (<-w.tasks)() }

// A Loop is run once, as its users know.
type Loop struct{ tasks chan func() }

func NewLoop() *Loop { return &Loop{tasks: make(chan func(), 8)} }

func (l *Loop) Do(task func()) { l.tasks <- task }

func (l *Loop) Run() {
	for task := range l.tasks {
		task()
		for len(l.tasks) > 0 {
			(<-l.tasks)()
		}
	}
}

// An Engine is started by the one who has the token.
type Engine struct {
	idle  chan struct{}
	turns atomic.Int64
}

func NewEngine() *Engine {
	e := &Engine{idle: make(chan struct{}, 1)}
	e.idle <- struct{}{}
	return e
}

// Turn is not to wait for a turn of another one.
func (e *Engine) Turn() {
	if len(e.idle) == 0 {
		return
	}
	<-e.idle // want `check-then-act: the length of Engine.idle was asked at line \d+, and \(\*Engine\)\.Turn \(lengths\.go:\d+\) may receive before this receive does: then it is empty, and this waits`
	e.turns.Add(1)
	e.idle <- struct{}{}
}

// TryTurn asks and takes in one step.
func (e *Engine) TryTurn() {
	select {
	case <-e.idle:
	default:
		return
	}
	e.turns.Add(1)
	e.idle <- struct{}{}
}

// TurnDeferred gives the token back by a literal.
func (e *Engine) TurnDeferred() {
	if len(e.idle) == 0 {
		return
	}
	<-e.idle // want `check-then-act: the length of Engine.idle was asked at line \d+`
	defer func() { e.idle <- struct{}{} }()
	e.turns.Add(1)
}

// A Ring makes room for the newest: who finds it full finds something to take out.
type Ring struct{ c chan int }

func NewRing() *Ring { return &Ring{c: make(chan int, 64)} }

func (r *Ring) Push(n int) {
	if len(r.c) == cap(r.c) {
		<-r.c
	}
	r.c <- n
}
