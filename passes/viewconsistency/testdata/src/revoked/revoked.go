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
