package timed

import (
	"sync"
	"time"
)

type lease struct {
	id       int
	deadline time.Time
	timer    *time.Timer
}

// Leases end when their time is up, unless they are renewed.
type Leases struct {
	mu  sync.Mutex
	all map[int]*lease
}

func (s *Leases) Open(id int, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := &lease{id: id, deadline: time.Now().Add(d)}
	x.timer = time.AfterFunc(d, func() { s.expire(id) })
	s.all[id] = x
}

func (s *Leases) Renew(id int, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.all[id]; x != nil {
		x.deadline = time.Now().Add(d)
		x.timer.Reset(d)
	}
}

// expire may have waited for Renew.
func (s *Leases) expire(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, id) // want `s.all\[id\] is removed here when the time is up, but this may have begun and have waited for the lock while \(\*Leases\).Renew \(renewed.go:\d+\) sets the timer anew: what it notes is not asked for`
}

// A Late one looks at the deadline.
type Late struct {
	mu  sync.Mutex
	all map[int]*lateOne
}

type lateOne struct {
	deadline time.Time
	timer    *time.Timer
}

func (s *Late) Open(id int, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := &lateOne{deadline: time.Now().Add(d)}
	x.timer = time.AfterFunc(d, func() { s.expireLate(id) })
	s.all[id] = x
}

func (s *Late) Renew(id int, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.all[id]; x != nil {
		x.deadline = time.Now().Add(d)
		x.timer.Reset(d)
	}
}

func (s *Late) expireLate(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.all[id]
	if x == nil || time.Now().Before(x.deadline) {
		return
	}
	delete(s.all, id)
}

// An Apart one notes the deadline under a lock that the function of the timer does not take.
type Apart struct {
	mu    sync.Mutex
	times sync.Mutex
	all   map[int]*apartOne
}

type apartOne struct {
	deadline time.Time
	timer    *time.Timer
}

func (s *Apart) Open(x *apartOne, id int, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.timer = time.AfterFunc(d, func() { s.expireApart(id) })
	s.all[id] = x
}

func (s *Apart) Note(x *apartOne, d time.Duration) {
	s.times.Lock()
	defer s.times.Unlock()
	x.deadline = time.Now().Add(d)
	x.timer.Reset(d)
}

func (s *Apart) expireApart(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, id)
}

// A Sure one sets the timer anew only if Stop has said that it has not run.
type Sure struct {
	mu  sync.Mutex
	all map[int]*sureOne
}

type sureOne struct {
	deadline time.Time
	timer    *time.Timer
}

func (s *Sure) Open(id int, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := &sureOne{deadline: time.Now().Add(d)}
	x.timer = time.AfterFunc(d, func() { s.expire(id) })
	s.all[id] = x
}

func (s *Sure) Renew(id int, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.all[id]
	if x != nil && x.timer.Stop() {
		x.deadline = time.Now().Add(d)
		x.timer.Reset(d)
	}
}

func (s *Sure) expire(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, id)
}

type shift struct {
	timer *time.Timer
	last  time.Time
	lost  bool
}

// Shifts are lost when nobody reports in time.
type Shifts struct {
	limit time.Duration
	alarm func(worker string, last time.Time)

	mu  sync.Mutex
	all map[string]*shift
}

func (s *Shifts) Begin(worker string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh := &shift{last: time.Now()}
	sh.timer = time.AfterFunc(s.limit, func() { s.overdue(worker) })
	s.all[worker] = sh
}

func (s *Shifts) Report(worker string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh, on := s.all[worker]; on {
		sh.last, sh.lost = time.Now(), false
		sh.timer.Reset(s.limit)
	}
}

// overdue has the time of the last report, and does not go by it.
func (s *Shifts) overdue(worker string) {
	s.mu.Lock()
	sh, on := s.all[worker]
	if !on {
		s.mu.Unlock()
		return
	}
	sh.lost = true // want `s.all\[.*\].lost is written here when the time is up, but this may have begun and have waited for the lock while \(\*Shifts\).Report \(renewed.go:\d+\) sets the timer anew: what it notes is not asked for`
	last := sh.last
	s.mu.Unlock()
	s.alarm(worker, last)
}

func (s *Shifts) Lost(worker string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh := s.all[worker]
	return sh != nil && sh.lost
}

// Watches look at the time of the last report.
type Watches struct {
	limit time.Duration

	mu  sync.Mutex
	all map[string]*watch
}

type watch struct {
	timer *time.Timer
	last  time.Time
	lost  bool
}

func (s *Watches) Begin(worker string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &watch{last: time.Now()}
	w.timer = time.AfterFunc(s.limit, func() { s.overdue(worker) })
	s.all[worker] = w
}

func (s *Watches) Report(worker string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w, on := s.all[worker]; on {
		w.last, w.lost = time.Now(), false
		w.timer.Reset(s.limit)
	}
}

func (s *Watches) overdue(worker string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w, on := s.all[worker]; on && time.Since(w.last) >= s.limit {
		w.lost = true
	}
}
