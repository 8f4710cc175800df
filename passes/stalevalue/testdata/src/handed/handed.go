// Package handed has objects that go from goroutine to goroutine over a channel.
package handed

import (
	"sync"
	"time"
)

type process struct{ pid int }

func start() *process { return new(process) }

type renderer struct {
	mu   sync.Mutex
	proc *process
	uses int
}

func (r *renderer) process() *process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.proc
}

func (r *renderer) install(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.proc = p
	r.uses++
}

// Pool hands its renderers over: each of them is in the channel at most once.
type Pool struct {
	all  []*renderer
	idle chan *renderer
}

func NewPool(n int) *Pool {
	p := &Pool{idle: make(chan *renderer, n)}
	for range n {
		r := new(renderer)
		p.all = append(p.all, r)
		p.idle <- r
	}
	return p
}

func (p *Pool) Render(done chan struct{}) {
	var r *renderer
	select {
	case r = <-p.idle:
	case <-done:
		return
	}
	defer func() { p.idle <- r }()
	if r.process() == nil {
		r.install(start())
	}
}

// Uses only looks.
func (p *Pool) Uses() (n int) {
	for _, r := range p.all {
		r.mu.Lock()
		n += r.uses
		r.mu.Unlock()
	}
	return n
}

type panel struct {
	mu   sync.Mutex
	proc *process
}

func (r *panel) process() *process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.proc
}

func (r *panel) install(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.proc = p
}

// Hall gives its renderers back too early.
type Hall struct {
	idle chan *panel
}

func NewHall(n int) *Hall {
	h := &Hall{idle: make(chan *panel, n)}
	for range n {
		h.idle <- new(panel)
	}
	return h
}

func (h *Hall) Render() {
	r := <-h.idle
	missing := r.process() == nil
	h.idle <- r
	if missing {
		r.install(start()) // want `check-then-act: panel.proc was checked at line \d+`
	}
}

// Desk has a renderer in its channel as often as somebody asks for it.
type Desk struct {
	mu    sync.Mutex
	all   map[string]*panel
	dirty chan *panel
}

func (d *Desk) Touch(name string) {
	d.mu.Lock()
	r := d.all[name]
	d.mu.Unlock()
	d.dirty <- r
}

func (d *Desk) Run(n int) {
	for range n {
		go d.work()
	}
}

func (d *Desk) work() {
	for r := range d.dirty {
		if r.process() == nil {
			r.install(start()) // want `check-then-act: panel.proc was checked at line \d+`
		}
	}
}

// Twice has a renderer in its channel twice.
type Twice struct {
	idle chan *panel
}

func NewTwice() *Twice {
	t := &Twice{idle: make(chan *panel, 2)}
	r := new(panel)
	for range 2 {
		t.idle <- r
	}
	return t
}

func (t *Twice) Render() {
	r := <-t.idle
	if r.process() == nil {
		r.install(start()) // want `check-then-act: panel.proc was checked at line \d+`
	}
	t.idle <- r
}

type task struct {
	mu    sync.Mutex
	tries int
}

func (t *task) get() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tries
}

func (t *task) set(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tries = n
}

// Works has its tasks tried by one worker at a time.
type Works struct{ queue chan *task }

func NewWorks(n int) *Works {
	w := &Works{queue: make(chan *task)}
	for range n {
		go w.run()
	}
	return w
}

func (w *Works) Submit() *task {
	t := new(task)
	w.enqueue(t)
	return t
}

func (w *Works) enqueue(t *task) { w.queue <- t }

func (w *Works) run() {
	for t := range w.queue {
		w.attempt(t)
	}
}

func (w *Works) attempt(t *task) {
	t.set(t.get() + 1)
	time.AfterFunc(time.Second, func() { w.enqueue(t) })
}

type order struct {
	mu    sync.Mutex
	tries int
}

func (o *order) get() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tries
}

func (o *order) set(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tries = n
}

// Plant has orders that anybody who has one resets.
type Plant struct{ queue chan *order }

func NewPlant(n int) *Plant {
	p := &Plant{queue: make(chan *order)}
	for range n {
		go p.run()
	}
	return p
}

func (p *Plant) Submit() *order {
	t := new(order)
	p.queue <- t
	return t
}

func (p *Plant) Reset(t *order) { t.set(0) }

func (p *Plant) run() {
	for t := range p.queue {
		t.set(t.get() + 1) // want `lost-update: order.tries was read at line \d+`
	}
}
