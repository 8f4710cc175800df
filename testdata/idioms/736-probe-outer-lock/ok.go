package membership

import (
	"sync"
	"time"
)

// Health is the state of a member.
type Health string

// The states.
const (
	Healthy Health = "healthy"
	Suspect Health = "suspect"
	Failed  Health = "failed"
)

type member struct {
	name string

	mu     sync.RWMutex
	health Health
	epoch  uint64
	since  time.Time
}

func (m *member) get() (Health, uint64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.health, m.epoch
}

func (m *member) set(h Health, epoch uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.health, m.epoch, m.since = h, epoch, time.Now()
}

// View is a row of the status page.
type View struct {
	Name   string
	Health Health
	Since  time.Time
}

func (m *member) view() View {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return View{m.name, m.health, m.since}
}

// Service tracks the members of the cluster.
type Service struct {
	timeout time.Duration
	changed func(name string, h Health)

	mu      sync.Mutex // held while a message or a timer is handled
	members sync.Map   // name to *member
	closed  bool
}

// New returns a service that gives a suspect the timeout to object.
func New(timeout time.Duration, changed func(name string, h Health)) *Service {
	return &Service{timeout: timeout, changed: changed}
}

func (s *Service) find(name string) *member {
	v, ok := s.members.Load(name)
	if !ok {
		return nil
	}
	return v.(*member)
}

// HandleAlive handles a heartbeat.
func (s *Service) HandleAlive(name string, epoch uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.find(name)
	if m == nil {
		m = &member{name: name}
		m.set(Healthy, epoch)
		s.members.Store(name, m)
		s.changed(name, Healthy)
		return
	}
	old, seen := m.get()
	if epoch <= seen {
		return
	}
	m.set(Healthy, epoch)
	if old != Healthy {
		s.changed(name, Healthy)
	}
}

// HandleSuspect handles a suspicion of another member.
func (s *Service) HandleSuspect(name string, epoch uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.find(name)
	if m == nil || s.closed {
		return
	}
	if h, seen := m.get(); h != Healthy || epoch < seen {
		return
	}
	m.set(Suspect, epoch)
	s.changed(name, Suspect)
	time.AfterFunc(s.timeout, func() { s.handleTimeout(m, epoch) })
}

func (s *Service) handleTimeout(m *member, epoch uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || !s.stillSuspect(m, epoch) {
		return
	}
	s.fail(m)
}

func (s *Service) stillSuspect(m *member, epoch uint64) bool {
	h, seen := m.get()
	return h == Suspect && seen == epoch
}

func (s *Service) fail(m *member) {
	_, epoch := m.get()
	m.set(Failed, epoch)
	s.changed(m.name, Failed)
}

// Close ends the handling of timers.
func (s *Service) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// Status lists the members. It does not wait for messages in progress.
func (s *Service) Status() []View {
	var out []View
	s.members.Range(func(_, v any) bool {
		out = append(out, v.(*member).view())
		return true
	})
	return out
}
