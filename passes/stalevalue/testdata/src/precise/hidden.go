package precise

import "sync"

// A Lamp is only reached through its House.
type Lamp interface {
	Level() int
	SetLevel(n int)
}

type lamp struct {
	mu    sync.Mutex
	level int
}

func (l *lamp) Level() int     { l.mu.Lock(); defer l.mu.Unlock(); return l.level }
func (l *lamp) SetLevel(n int) { l.mu.Lock(); defer l.mu.Unlock(); l.level = n }

type House struct {
	mu    sync.Mutex
	lamps map[string]Lamp
}

func (h *House) Fit(room string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lamps[room] = &lamp{level: 10}
}

func (h *House) Light(room string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.lamps[room]; l != nil {
		l.SetLevel(10)
	}
}

// Dim has the lock that all have who call a method of a Lamp.
func (h *House) Dim(room string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.lamps[room]; l != nil {
		l.SetLevel(l.Level() / 2)
	}
}

// A Bulb is handed out.
type Bulb interface {
	Power() int
	SetPower(n int)
}

type bulb struct {
	mu    sync.Mutex
	power int
}

func (b *bulb) Power() int     { b.mu.Lock(); defer b.mu.Unlock(); return b.power }
func (b *bulb) SetPower(n int) { b.mu.Lock(); defer b.mu.Unlock(); b.power = n }

type Street struct {
	mu    sync.Mutex
	bulbs map[int]Bulb
}

func (s *Street) Fit(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bulbs[n] = &bulb{power: 10}
}

// At hands out what the lock protects.
func (s *Street) At(n int) Bulb {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bulbs[n]
}

func (s *Street) Light(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bulbs[n].SetPower(10)
}

func (s *Street) Dim(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.bulbs[n]
	b.SetPower(b.Power() / 2) // want `lost-update: b\.power was read at line \d+|lost-update: s\.bulbs.*power was read at line \d+`
}

// A Switch goes out in another interface, that its own is converted to.
type Switch interface{ Set(on bool) }

type toggle struct {
	mu  sync.Mutex
	on  bool
	was bool
}

func (t *toggle) Set(on bool) { t.mu.Lock(); defer t.mu.Unlock(); t.on = on }

func (t *toggle) On() bool { t.mu.Lock(); defer t.mu.Unlock(); return t.on }

func (t *toggle) Keep(on bool) { t.mu.Lock(); defer t.mu.Unlock(); t.was = on }

type state interface {
	Switch
	On() bool
	Keep(on bool)
}

type Panel struct {
	mu sync.Mutex
	of []state
}

func (p *Panel) Add() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of = append(p.of, &toggle{})
}

func (p *Panel) Get(i int) Switch {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.of[i]
}

func (p *Panel) Flip(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.of[i]
	t.Set(!t.On()) // want `lost-update: .*on was read at line \d+`
}
