// Package a supervises lone workers who have to report at intervals.
package a

import (
	"fmt"
	"sync"
	"time"
)

// Alarm is told about a worker who has not reported in time.
type Alarm func(worker string, last time.Time)

type shift struct {
	timer *time.Timer
	last  time.Time
	lost  bool
}

// Supervisor watches the shifts that are on.
type Supervisor struct {
	limit time.Duration
	alarm Alarm

	mu     sync.Mutex
	shifts map[string]*shift
}

// NewSupervisor returns a supervisor that allows limit between two reports.
func NewSupervisor(limit time.Duration, alarm Alarm) *Supervisor {
	return &Supervisor{limit: limit, alarm: alarm, shifts: make(map[string]*shift)}
}

// Begin starts the shift of a worker.
func (s *Supervisor) Begin(worker string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, on := s.shifts[worker]; on {
		return fmt.Errorf("%s is on shift", worker)
	}
	sh := &shift{last: time.Now()}
	sh.timer = time.AfterFunc(s.limit, func() { s.expire(worker) })
	s.shifts[worker] = sh
	return nil
}

// Report is called when the worker presses the button.
func (s *Supervisor) Report(worker string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh, on := s.shifts[worker]
	if !on {
		return fmt.Errorf("%s is not on shift", worker)
	}
	sh.last = time.Now()
	sh.lost = false
	sh.timer.Reset(s.limit)
	return nil
}

func (s *Supervisor) expire(worker string) {
	s.mu.Lock()
	sh, on := s.shifts[worker]
	if !on || time.Since(sh.last) < s.limit {
		s.mu.Unlock()
		return
	}
	sh.lost = true
	last := sh.last
	s.mu.Unlock()
	s.alarm(worker, last)
}

// End finishes the shift of a worker.
func (s *Supervisor) End(worker string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh, on := s.shifts[worker]; on {
		sh.timer.Stop()
		delete(s.shifts, worker)
	}
}

// Lost lists the workers who are overdue.
func (s *Supervisor) Lost() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for w, sh := range s.shifts {
		if sh.lost {
			out = append(out, w)
		}
	}
	return out
}
