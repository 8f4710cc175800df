// Package selection has reads that another read has decided to make.
package selection

import (
	"sync"
	"sync/atomic"
)

type line struct{ out chan string }

// A Desk sends by day to one line and by night to another.
type Desk struct {
	mu    sync.Mutex
	night bool
	line  atomic.Pointer[line]
	price int
	busy  bool
	final bool
	end   *line
}

func (d *Desk) Change(night bool, l *line, price int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.night, d.price = night, price
	d.line.Store(l)
}

// Send may use the line of the night.
func (d *Desk) Send(s string) {
	d.mu.Lock()
	night := d.night
	d.mu.Unlock()
	if night {
		return
	}
	d.line.Load().out <- s // want `split-read: d\.night at line 32 and d\.line here are read apart`
}

func (d *Desk) Price() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.price
}

func (d *Desk) isNight() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.night
}

// ByDay returns the price of the day, or of the night that has begun meanwhile.
func (d *Desk) ByDay() int {
	if d.isNight() {
		return 0
	}
	return d.Price() // want `split-read: d\.night at line \d+ and d\.price here are read apart`
}

// SendAtOnce takes both in one section.
func (d *Desk) SendAtOnce(s string) {
	d.mu.Lock()
	night, l := d.night, d.line.Load()
	d.mu.Unlock()
	if !night {
		l.out <- s
	}
}

// SendIfThere expects that the line may be gone.
func (d *Desk) SendIfThere(s string) {
	d.mu.Lock()
	night := d.night
	d.mu.Unlock()
	if night {
		return
	}
	if l := d.line.Load(); l != nil {
		l.out <- s
	}
}

// PriceAnew finds the answer by itself, in one section.
func (d *Desk) PriceAnew() int {
	if d.isNight() {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.busy {
		return 2 * d.price
	}
	return d.price
}

func (d *Desk) SetBusy(busy bool) {
	d.mu.Lock()
	d.busy = busy
	d.mu.Unlock()
}

// Finish is final: who has seen it finds the end in place.
func (d *Desk) Finish(l *line) {
	d.mu.Lock()
	d.final, d.end = true, l
	d.mu.Unlock()
}

func (d *Desk) SendEnd(s string) {
	d.mu.Lock()
	final := d.final
	d.mu.Unlock()
	if !final {
		return
	}
	d.mu.Lock()
	end := d.end
	d.mu.Unlock()
	end.out <- s
}

// A Stand is opened and closed by the day. Only closing changes the line.
type Stand struct {
	mu   sync.Mutex
	open bool
	line atomic.Pointer[line]
	last *line
}

func (s *Stand) Open()  { s.mu.Lock(); s.open = true; s.mu.Unlock() }
func (s *Stand) Pause() { s.mu.Lock(); s.open = false; s.mu.Unlock() }
func (s *Stand) Rest()  { s.mu.Lock(); s.open = false; s.mu.Unlock() }

func (s *Stand) Close(l *line) {
	old := new(line)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = false
	s.renew(l)
	old.out = nil
}

// renew is called with s.mu held.
func (s *Stand) renew(l *line) {
	s.line.Store(l)
	s.last = nil
}

// Offer may offer to the line that has been put there for the next day.
func (s *Stand) Offer(text string, stop chan bool) {
	s.mu.Lock()
	open := s.open
	s.mu.Unlock()
	if !open {
		return
	}
	l := s.line.Load() // want `split-read: s\.open at line \d+ and s\.line here are read apart`
	select {
	case l.out <- text:
	case <-stop:
	}
}

// OfferAtOnce takes both in one section.
func (s *Stand) OfferAtOnce(text string, stop chan bool) {
	s.mu.Lock()
	open, l := s.open, s.line.Load()
	s.mu.Unlock()
	if !open {
		return
	}
	select {
	case l.out <- text:
	case <-stop:
	}
}

// Await only waits at the line: nothing gets there.
func (s *Stand) Await(stop chan bool) {
	s.mu.Lock()
	open := s.open
	s.mu.Unlock()
	if !open {
		return
	}
	l := s.line.Load()
	select {
	case <-l.out:
	case <-stop:
	}
}
