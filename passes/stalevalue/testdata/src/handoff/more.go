package handoff

import (
	"sync"
	"sync/atomic"
)

// A Meter has a reading that one goroutine sets.
type Meter struct {
	reading atomic.Int64
	sets    chan int64
}

// Run sets what it receives.
func (m *Meter) Run() {
	for v := range m.sets {
		m.reading.Store(v)
	}
}

// Bump sends the next reading.
func (m *Meter) Bump() {
	v := m.reading.Load()
	m.sets <- v + 1 // want `m.reading was read .* lost when \(\*Meter\).Run`
}

// A Guestbook receives messages of several types.
type Guestbook struct {
	mu     sync.Mutex
	guests map[string]int
	in     chan any
	quit   chan struct{}
}

type arrive struct {
	name string
	room int
}

type leave struct{ name string }

// Loop handles messages.
func (g *Guestbook) Loop() {
	for {
		select {
		case m := <-g.in:
			g.handle(m)
		case <-g.quit:
			return
		}
	}
}

func (g *Guestbook) handle(m any) {
	switch m := m.(type) {
	case *arrive:
		g.mu.Lock()
		g.guests[m.name] = m.room
		g.mu.Unlock()
	case *leave:
		g.mu.Lock()
		delete(g.guests, m.name)
		g.mu.Unlock()
	}
}

// Arrive looks, and tells the loop.
func (g *Guestbook) Arrive(name string, room int) bool {
	g.mu.Lock()
	_, ok := g.guests[name]
	g.mu.Unlock()
	if ok {
		return false
	}
	select { // want `g.guests\[name\] was checked .* before \(\*Guestbook\).Loop`
	case g.in <- &arrive{name, room}: // the loop is given the whole message
		return true
	case <-g.quit:
		return false
	}
}

// Leave sends a message that removes the guest, if there is one: what is done for the other kind
// of message does not matter.
func (g *Guestbook) Leave(name string) {
	g.mu.Lock()
	_, ok := g.guests[name]
	g.mu.Unlock()
	if ok {
		g.in <- &leave{name}
	}
}

// A Fleet gives its channel to a function that receives from it.
type Fleet struct {
	mu    sync.Mutex
	ships map[string]int
	ch    chan ship
}

type ship struct {
	name string
	at   int
}

// NewFleet starts a goroutine with the channel.
func NewFleet() *Fleet {
	f := &Fleet{ships: make(map[string]int), ch: make(chan ship)}
	go f.track(f.ch)
	return f
}

func (f *Fleet) track(ch <-chan ship) {
	for s := range ch {
		f.mu.Lock()
		f.ships[s.name] = s.at
		f.mu.Unlock()
	}
}

// Advance computes the place from the last one.
func (f *Fleet) Advance(name string, by int) {
	f.mu.Lock()
	at := f.ships[name]
	f.mu.Unlock()
	f.ch <- ship{name, at + by} // want `f.ships\[name\] was read .* lost when \(\*Fleet\).track`
}

// Settle has a local channel.
func (f *Fleet) Settle(names []string) {
	ch := make(chan ship)
	go func() {
		for s := range ch {
			f.mu.Lock()
			f.ships[s.name] = s.at
			f.mu.Unlock()
		}
	}()
	for _, name := range names {
		f.mu.Lock()
		at := f.ships[name]
		f.mu.Unlock()
		ch <- ship{name, at / 2} // want `f.ships\[.*\] was read .* lost when \(\*Fleet\).Settle\$1`
	}
	close(ch)
}

// Ping and Pong send each other what they receive.
type Ping struct {
	mu   sync.Mutex
	n    int
	a, b chan int
}

// Left sends on.
func (p *Ping) Left() {
	for n := range p.a {
		p.b <- n
	}
}

// Right sends back, and keeps what it has seen.
func (p *Ping) Right() {
	for n := range p.b {
		p.mu.Lock()
		p.n = n
		p.mu.Unlock()
		p.a <- n
	}
}

// Start reads what Right has kept.
func (p *Ping) Start() {
	p.mu.Lock()
	n := p.n
	p.mu.Unlock()
	p.a <- n + 1 // want `p.n was read .* lost when \(\*Ping\).Right`
}
