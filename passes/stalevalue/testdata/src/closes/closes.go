// Package closes has channels that are closed while goroutines may send to them.
package closes

import "sync"

// A Pump has a goroutine that sends until it is told to stop.
type Pump struct {
	mu   sync.Mutex
	n    int
	quit chan struct{}
	done chan struct{}
	out  chan int
	any  chan int
	all  chan int
}

func NewPump() *Pump {
	p := &Pump{quit: make(chan struct{}), done: make(chan struct{}), out: make(chan int), any: make(chan int), all: make(chan int)}
	go p.run()
	return p
}

func (p *Pump) run() {
	defer close(p.done)
	for i := 0; ; i++ {
		p.count()
		select {
		case <-p.quit:
			return
		case p.out <- i:
		case p.any <- i:
		case p.all <- i:
		}
	}
}

func (p *Pump) count() {
	p.mu.Lock()
	p.n++
	p.mu.Unlock()
}

// Stop tells the goroutine to stop, which may be at the send.
func (p *Pump) Stop() {
	p.count()
	close(p.quit)
	close(p.out) // want `check-then-act: Pump.out is closed here, and nobody waits for the goroutine in which \(\*Pump\).run \(closes.go:27\) may still send to it: the send panics then`
}

// StopAwaited waits for the goroutine.
func (p *Pump) StopAwaited() {
	p.count()
	<-p.done
	close(p.all)
}

// StopIfAny waits for the goroutine if there is one.
func (p *Pump) StopIfAny(running bool) {
	p.count()
	if running {
		p.wait()
	}
	close(p.any)
}

func (p *Pump) wait() { <-p.done }

// A Crew counts its workers.
type Crew struct {
	mu     sync.Mutex
	orders []int
	closer closer
	out    chan int
	rest   chan int
}

type closer struct{ waiting sync.WaitGroup }

func (c *closer) Done() { c.waiting.Done() }
func (c *closer) Wait() { c.waiting.Wait() }

func (c *Crew) Start() {
	c.closer.waiting.Add(1)
	go func() {
		c.work()
	}()
}

func (c *Crew) work() {
	defer c.closer.Done()
	for {
		c.mu.Lock()
		if len(c.orders) == 0 {
			c.mu.Unlock()
			return
		}
		n := c.orders[0]
		c.orders = c.orders[1:]
		c.mu.Unlock()
		select {
		case c.out <- n:
		case c.rest <- n:
		}
	}
}

// Close waits for the workers.
func (c *Crew) Close() {
	c.closer.Wait()
	close(c.out)
}

// CloseRest waits when it is too late.
func (c *Crew) CloseRest() {
	defer c.closer.Wait()
	close(c.rest) // want `check-then-act: Crew.rest is closed here`
}

// A Desk has a goroutine that goes on after the close, and marks each send. Nothing comes in any more when it is closed.
type Desk struct {
	busy sync.WaitGroup
	in   chan int
	out  chan int
}

func (d *Desk) Start() {
	go func() {
		for n := range d.in {
			d.put(n)
		}
	}()
}

// Put announces what comes in.
func (d *Desk) Put(n int) {
	d.busy.Add(1)
	d.in <- n
}

func (d *Desk) put(n int) {
	d.out <- n
	d.busy.Done()
}

// Close waits for those who are at the send.
func (d *Desk) Close() {
	d.busy.Wait()
	close(d.out)
}

// A Gate has sends under its lock.
type Gate struct {
	mu      sync.Mutex
	stopped bool
	events  chan int
	alarms  chan int
	bells   chan int
}

func NewGate() *Gate {
	g := &Gate{events: make(chan int, 1), alarms: make(chan int, 1)}
	go g.watch()
	return g
}

func (g *Gate) watch() {
	for i := range 100 {
		g.mu.Lock()
		select {
		case g.events <- i:
		default:
		}
		if !g.stopped {
			g.alarms <- i
		}
		g.bells <- i
		g.mu.Unlock()
	}
}

// Close is under the lock.
func (g *Gate) Close() {
	g.mu.Lock()
	close(g.events)
	g.events = nil
	g.mu.Unlock()
}

// Silence closes a channel that the goroutine sends to in its next section.
func (g *Gate) Silence() {
	g.mu.Lock()
	close(g.bells) // want `check-then-act: Gate.bells is closed here`
	g.mu.Unlock()
}

// Stop sets the flag that is asked for before each send.
func (g *Gate) Stop() {
	g.mu.Lock()
	g.stopped = true
	g.mu.Unlock()
	close(g.alarms)
}

// A Hub has clients, which it is given.
type Hub struct {
	mu      sync.Mutex
	clients map[*client]bool
}

type client struct {
	hub *Hub
	out chan int
}

func (h *Hub) Add() *client {
	c := &client{hub: h, out: make(chan int)}
	h.mu.Lock()
	h.clients[c] = true
	h.mu.Unlock()
	go c.loop()
	return c
}

func (c *client) loop() {
	for i := range 10 {
		c.out <- i
	}
}

// Drop ends a client; who calls it has it.
func (h *Hub) Drop(c *client) {
	h.mu.Lock()
	delete(h.clients, c)
	h.mu.Unlock()
	close(c.out)
}

// A Pair has two goroutines that tell of their ends by messages.
type Pair struct {
	in, back chan int
	out      chan int
}

func (p *Pair) Serve() {
	ended := make(chan struct{}, 2)
	go func() {
		defer func() { ended <- struct{}{} }()
		p.read()
	}()
	go func() {
		p.write()
		ended <- struct{}{}
	}()
	<-ended
	<-ended
	p.end()
}

func (p *Pair) read() {
	for n := range p.in {
		p.out <- n
	}
}

func (p *Pair) write() {
	for n := range p.back {
		p.out <- n
	}
}

// end is called when both have ended.
func (p *Pair) end() { close(p.out) }

// A Ward has its calls in a table.
type Ward struct {
	mu    sync.Mutex
	calls map[int]*call
}

type call struct{ answer chan int }

func (w *Ward) Start(id int) {
	w.mu.Lock()
	w.calls[id] = &call{make(chan int, 1)}
	w.mu.Unlock()
	go w.reply(id)
}

func (w *Ward) reply(id int) {
	w.mu.Lock()
	c := w.calls[id]
	w.mu.Unlock()
	c.answer <- id // want `check-then-act: w\.calls\[id\] was found at line \d+, but w\.mu was released at line \d+; \(\*Ward\)\.Cancel \(closes\.go:\d+\) may find it as well and close call\.answer in between, and this send panics`
}

// Cancel ends a call, of many, and leaves it there.
func (w *Ward) Cancel(id int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.calls[id].answer)
}

// A Bare has no lock.
type Bare struct{ q chan int }

func (b *Bare) Wait(stop chan int) {
	if len(b.q) > 0 {
		<-stop
	}
}
