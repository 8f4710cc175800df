package timed

import (
	"sync"
	"time"
)

type delivery struct {
	text  string
	timer *time.Timer
	turn  int
}

// A Mailbox has messages that come back if nobody takes note of them in time. To extend the time, it stops the timer and
// puts another one into its place.
type Mailbox struct {
	mu    sync.Mutex
	out   map[int]*delivery
	ready []string
}

func (m *Mailbox) Hand(id int, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x := &delivery{}
	m.out[id] = x
	m.arm(id, x, d)
}

// arm is called with m.mu held.
func (m *Mailbox) arm(id int, x *delivery, d time.Duration) {
	x.timer = time.AfterFunc(d, func() { m.lapse(id) })
}

func (m *Mailbox) Extend(id int, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if x := m.out[id]; x != nil {
		x.timer.Stop()
		m.arm(id, x, d)
	}
}

// lapse may have waited for Extend.
func (m *Mailbox) lapse(id int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if x := m.out[id]; x != nil {
		delete(m.out, id) // want `m.out\[id\] is removed here when the time is up, but this may have begun and have waited for the lock while \(\*Mailbox\).Extend`
		m.ready = append(m.ready, x.text)
	}
}

// A Counted mailbox numbers the timers.
type Counted struct {
	mu  sync.Mutex
	out map[int]*delivery
}

func (m *Counted) Hand(id int, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x := &delivery{}
	m.out[id] = x
	m.armCounted(id, x, d)
}

func (m *Counted) armCounted(id int, x *delivery, d time.Duration) {
	x.turn++
	turn := x.turn
	x.timer = time.AfterFunc(d, func() { m.lapseCounted(id, turn) })
}

func (m *Counted) Extend(id int, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if x := m.out[id]; x != nil {
		x.timer.Stop()
		m.armCounted(id, x, d)
	}
}

func (m *Counted) lapseCounted(id, turn int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if x := m.out[id]; x != nil && x.turn == turn {
		delete(m.out, id)
	}
}

// Flows are refreshed by a helper that all call with the lock held.
type Flows struct {
	mu  sync.Mutex
	all map[int]*lease
}

func (t *Flows) Open(id int, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if x := t.all[id]; x != nil {
		t.refresh(x, d)
		return
	}
	x := &lease{id: id, deadline: time.Now().Add(d)}
	x.timer = time.AfterFunc(d, func() { t.expireFlow(x) })
	t.all[id] = x
}

func (t *Flows) Touch(id int, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if x := t.all[id]; x != nil {
		t.refresh(x, d)
	}
}

func (t *Flows) refresh(x *lease, d time.Duration) {
	x.deadline = time.Now().Add(d)
	x.timer.Reset(d)
}

// expireFlow may have waited for refresh.
func (t *Flows) expireFlow(x *lease) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, x.id) // want `t.all\[x.id\] is removed here when the time is up, but this may have begun and have waited for the lock while \(\*Flows\).refresh`
}

type unit struct {
	name    string
	running bool
	timer   *time.Timer
}

// Units start again some time after they have failed, unless they are stopped.
type Units struct {
	mu    sync.Mutex
	start func(string)
}

func (s *Units) Retry(u *unit, after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u.timer = time.AfterFunc(after, func() { s.again(u) })
}

func (s *Units) Stop(u *unit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u.timer.Stop()
	u.running = false
}

// again may have waited for Stop.
func (s *Units) again(u *unit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start(u.name)
	u.running = true // want `u.running is written here when the time is up, but this may have begun and have waited for the lock while \(\*Units\).Stop \(replaced.go:\d+\) stops the timer: what it notes is not asked for`
}

type task struct {
	name    string
	stopped bool
	running bool
	timer   *time.Timer
}

// Tasks note that they have been stopped, and ask for that.
type Tasks struct {
	mu    sync.Mutex
	start func(string)
}

func (s *Tasks) Retry(t *task, after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.timer = time.AfterFunc(after, func() { s.againAsked(t) })
}

func (s *Tasks) Stop(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.timer.Stop()
	t.running, t.stopped = false, true
}

func (s *Tasks) againAsked(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.stopped {
		return
	}
	s.start(t.name)
	t.running = true
}
