// Package revoked has references that one variable tells of, and that are set to nil before they are followed.
package revoked

import (
	"errors"
	"sync"
)

type motor struct{ turns int }

func (m *motor) turn(n int) error { m.turns += n; return nil }

var errOff = errors.New("off")

// Pump has a motor while it is on. The two have locks of their own.
type Pump struct {
	stateMu sync.Mutex
	on      bool

	motorMu sync.Mutex
	motor   *motor

	change sync.Mutex
}

func (p *Pump) isOn() bool {
	p.stateMu.Lock()
	defer p.stateMu.Unlock()
	return p.on
}

func (p *Pump) setOn(on bool) {
	p.stateMu.Lock()
	defer p.stateMu.Unlock()
	p.on = on
}

func (p *Pump) current() *motor {
	p.motorMu.Lock()
	defer p.motorMu.Unlock()
	return p.motor
}

func (p *Pump) set(m *motor) {
	p.motorMu.Lock()
	defer p.motorMu.Unlock()
	p.motor = m
}

func (p *Pump) Start() {
	p.set(new(motor))
	p.setOn(true)
}

func (p *Pump) Stop() {
	p.change.Lock()
	defer p.change.Unlock()
	p.setOn(false)
	p.set(nil)
}

// Run is wrong: Stop may come in between.
func (p *Pump) Run(n int) error {
	if !p.isOn() {
		return errOff
	}
	return p.current().turn(n) // want `split-read: p\.on at line \d+ and p\.motor here are read apart, in separate critical sections, and the one decides that the other is followed; \(\*Pump\)\.Stop \(.*\) sets it to nil`
}

// Try looks again.
func (p *Pump) Try(n int) error {
	if !p.isOn() {
		return errOff
	}
	m := p.current()
	if m == nil {
		return errOff
	}
	return m.turn(n)
}

// Check takes the motor together with what it counts on.
func (p *Pump) Check(n int) error {
	if !p.isOn() {
		return errOff
	}
	p.stateMu.Lock()
	p.motorMu.Lock()
	m, on := p.motor, p.on
	p.motorMu.Unlock()
	p.stateMu.Unlock()
	if !on {
		return errOff
	}
	return m.turn(n)
}

// Flush keeps Stop out.
func (p *Pump) Flush(n int) error {
	p.change.Lock()
	defer p.change.Unlock()
	if !p.isOn() {
		return errOff
	}
	return p.current().turn(n)
}

// Drain is for a pump that is off, whose motor the user has set.
func (p *Pump) Drain(n int) error {
	if p.isOn() {
		return nil
	}
	return p.current().turn(n)
}

// Far is far away from what it asks.
func (p *Pump) Far(n int) error {
	if !p.far() {
		return errOff
	}
	return p.current().turn(n) // want `split-read: p\.on at line .* \[medium confidence: `
}

func (p *Pump) note(n int)    { p.change.Lock(); defer p.change.Unlock(); _ = n }
func (p *Pump) far() bool     { p.note(0); return p.farther() }
func (p *Pump) farther() bool { p.note(1); return p.farthest() }
func (p *Pump) farthest() bool {
	p.note(2)
	return p.last()
}
func (p *Pump) last() bool { p.note(3); return p.isOn() }

// Line has a handler in an interface, and says so last.
type Line struct {
	mu      sync.RWMutex
	open    bool
	handler interface{ Handle(int) }
}

func (l *Line) isOpen() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.open
}

func (l *Line) get() interface{ Handle(int) } {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.handler
}

func (l *Line) Open(h interface{ Handle(int) }) {
	l.mu.Lock()
	l.handler = h
	l.mu.Unlock()
	l.mu.Lock()
	l.open = true
	l.mu.Unlock()
}

func (l *Line) Close() {
	l.mu.Lock()
	l.handler = nil
	l.mu.Unlock()
	l.mu.Lock()
	l.open = false
	l.mu.Unlock()
}

func (l *Line) Dispatch(n int) {
	if l.isOpen() {
		l.get().Handle(n) // want `split-read: l\.open at line \d+ and l\.handler here are read apart`
	}
}

// job runs and ends in one goroutine.
type job struct {
	mu     sync.Mutex
	active bool
	step   *motor
}

func newJob() *job { return &job{active: true, step: new(motor)} }

func (j *job) isActive() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.active
}

func (j *job) now() *motor {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.step
}

func (j *job) end() {
	j.mu.Lock()
	j.active = false
	j.mu.Unlock()
	j.mu.Lock()
	j.step = nil
	j.mu.Unlock()
}

// Start starts a job; others only ask whether it is active.
func Start() (isActive func() bool) {
	j := newJob()
	go j.run()
	return j.isActive
}

func (j *job) run() {
	for i := range 10 {
		if j.isActive() {
			_ = j.now().turn(i)
		}
	}
	j.end()
}

// A Depot waits for its users before it takes away what they have.
type Depot struct {
	mu    sync.Mutex
	open  bool
	users sync.WaitGroup
	goods *motor
}

func (d *Depot) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.open {
		return false
	}
	d.users.Add(1)
	return true
}

func (d *Depot) stock() *motor {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.goods
}

func (d *Depot) Fill(m *motor) {
	d.mu.Lock()
	d.goods = m
	d.mu.Unlock()
	d.mu.Lock()
	d.open = true
	d.mu.Unlock()
}

func (d *Depot) Close() {
	d.mu.Lock()
	d.open = false
	d.mu.Unlock()
	d.users.Wait()
	d.mu.Lock()
	d.goods = nil
	d.mu.Unlock()
}

func (d *Depot) Take(n int) error {
	if !d.enter() {
		return errOff
	}
	defer d.users.Done()
	return d.stock().turn(n)
}

// A Stage counts those who play, in the section in which they ask.
type Stage struct {
	mu      sync.Mutex
	open    bool
	players int
	scene   *motor
}

func (s *Stage) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open {
		s.players++
	}
	return s.open
}

func (s *Stage) leave() {
	s.mu.Lock()
	s.players--
	s.mu.Unlock()
}

func (s *Stage) now() *motor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scene
}

func (s *Stage) Open(m *motor) {
	s.mu.Lock()
	s.scene = m
	s.mu.Unlock()
	s.mu.Lock()
	s.open = true
	s.mu.Unlock()
}

func (s *Stage) Shut() bool {
	s.mu.Lock()
	if s.players > 0 {
		s.mu.Unlock()
		return false
	}
	s.open = false
	s.mu.Unlock()
	s.mu.Lock()
	s.scene = nil
	s.mu.Unlock()
	return true
}

func (s *Stage) Play(n int) error {
	if !s.enter() {
		return errOff
	}
	defer s.leave()
	return s.now().turn(n)
}

// A Mill lets its users end by a lock that they hold for reading.
type Mill struct {
	use   sync.RWMutex
	mu    sync.Mutex
	on    bool
	stone *motor
}

func (m *Mill) isOn() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.on
}

func (m *Mill) get() *motor {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stone
}

func (m *Mill) Start(s *motor) {
	m.mu.Lock()
	m.stone = s
	m.mu.Unlock()
	m.mu.Lock()
	m.on = true
	m.mu.Unlock()
}

func (m *Mill) Stop() {
	m.mu.Lock()
	m.on = false
	m.mu.Unlock()
	m.use.Lock()
	m.use.Unlock()
	m.mu.Lock()
	m.stone = nil
	m.mu.Unlock()
}

func (m *Mill) Grind(n int) error {
	m.use.RLock()
	defer m.use.RUnlock()
	if !m.isOn() {
		return errOff
	}
	return m.get().turn(n)
}

// A Choir has a standard voice, which the getter returns where there is no other one.
type Choir struct {
	mu    sync.Mutex
	on    bool
	voice *motor
}

var standard = new(motor)

func (c *Choir) isOn() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.on
}

func (c *Choir) get() *motor {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.voice == nil {
		return standard
	}
	return c.voice
}

func (c *Choir) Set(m *motor) {
	c.mu.Lock()
	c.voice = m
	c.mu.Unlock()
	c.mu.Lock()
	c.on = true
	c.mu.Unlock()
}

func (c *Choir) Unset() {
	c.mu.Lock()
	c.on = false
	c.mu.Unlock()
	c.mu.Lock()
	c.voice = nil
	c.mu.Unlock()
}

func (c *Choir) Sing(n int) error {
	if !c.isOn() {
		return errOff
	}
	return c.get().turn(n)
}

// Hum asks by an error.
func (p *Pump) check() error {
	if !p.isOn() {
		return errOff
	}
	return nil
}

func (p *Pump) Hum(n int) error {
	if err := p.check(); err != nil {
		return err
	}
	return p.current().turn(n) // want `split-read: p\.on at line \d+ and p\.motor here are read apart`
}

// take looks whether there is a motor, and returns nil if not.
func (p *Pump) take() *motor {
	m := p.current()
	if m == nil {
		return nil
	}
	return m
}

func (p *Pump) Spin(n int) error {
	if !p.isOn() {
		return errOff
	}
	return p.take().turn(n) // want `split-read: p\.on at line \d+ and p\.motor here are read apart`
}
