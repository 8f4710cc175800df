// Package bug supervises processes and restarts those that end by themselves.
package bug

import (
	"errors"
	"sync"
	"time"
)

type Status int

const (
	Stopped Status = iota
	Running
	Waiting
)

var (
	ErrUnknown = errors.New("supervisor: unknown unit")
	ErrActive  = errors.New("supervisor: unit is active")
)

type Process interface {
	Wait() error
	Kill()
}

// Launcher starts a process; it does not wait for it.
type Launcher func(name string) (Process, error)

type unit struct {
	name    string
	status  Status
	proc    Process
	crashes int
	timer   *time.Timer
}

type Supervisor struct {
	launch Launcher

	mu    sync.Mutex
	units map[string]*unit
}

func New(launch Launcher) *Supervisor {
	return &Supervisor{launch: launch, units: make(map[string]*unit)}
}

func (s *Supervisor) Start(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.units[name]
	if !ok {
		u = &unit{name: name}
		s.units[name] = u
	}
	if u.status != Stopped {
		return ErrActive
	}
	u.crashes = 0
	return s.run(u)
}

// run launches the process of u; s.mu is held.
func (s *Supervisor) run(u *unit) error {
	p, err := s.launch(u.name)
	if err != nil {
		return err
	}
	u.proc, u.status = p, Running
	go s.monitor(u, p)
	return nil
}

func (s *Supervisor) monitor(u *unit, p Process) {
	err := p.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.proc != p || u.status != Running {
		return
	}
	u.proc = nil
	if err == nil {
		u.status = Stopped
		return
	}
	s.retry(u)
}

// retry plans another launch; s.mu is held.
func (s *Supervisor) retry(u *unit) {
	u.status = Waiting
	delay := min(time.Second<<min(u.crashes, 6), time.Minute)
	u.crashes++
	u.timer = time.AfterFunc(delay, func() { s.relaunch(u) })
}

func (s *Supervisor) relaunch(u *unit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.run(u); err != nil {
		s.retry(u)
	}
}

// Stop ends a unit; it stays down until it is started again.
func (s *Supervisor) Stop(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.units[name]
	if !ok {
		return ErrUnknown
	}
	switch u.status {
	case Running:
		u.proc.Kill()
		u.proc = nil
	case Waiting:
		u.timer.Stop()
		u.timer = nil
	}
	u.status = Stopped
	return nil
}

// Remove forgets a unit that is down.
func (s *Supervisor) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.units[name]
	if !ok {
		return ErrUnknown
	}
	if u.status != Stopped {
		return ErrActive
	}
	delete(s.units, name)
	return nil
}

func (s *Supervisor) Status(name string) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.units[name]; ok {
		return u.status
	}
	return Stopped
}
