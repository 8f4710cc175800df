// Package helpers is about functions that stand between a function and its locks, and about the same code
// in line.
package helpers

import (
	"sync"
	"time"
)

type member struct {
	mu    sync.Mutex
	state int
	epoch int
}

func (m *member) get() (int, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state, m.epoch
}

func (m *member) set(state, epoch int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state, m.epoch = state, epoch
}

// Service has one lock around all that is done to its members.
type Service struct {
	mu      sync.Mutex
	members map[string]*member
}

func (s *Service) Suspect(name string, epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.members[name]
	if m == nil {
		return
	}
	if _, seen := m.get(); epoch < seen {
		return
	}
	m.set(1, epoch)
	time.AfterFunc(time.Second, func() { s.timeout(m) })
}

func (s *Service) timeout(m *member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail(m)
}

// fail is given the member by functions that have found it in s.members, and hold s.mu.
func (s *Service) fail(m *member) {
	_, epoch := m.get()
	m.set(2, epoch)
}

type player struct {
	mu    sync.Mutex
	state int
	epoch int
}

func (m *player) get() (int, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state, m.epoch
}

func (m *player) set(state, epoch int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state, m.epoch = state, epoch
}

// Team is a Service whose last function has forgotten the lock.
type Team struct {
	mu      sync.Mutex
	players map[string]*player
}

func (s *Team) Suspect(name string, epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.players[name]
	if m == nil {
		return
	}
	if _, seen := m.get(); epoch < seen {
		return
	}
	m.set(1, epoch) // want `s.players\[…\].epoch was checked at line 91`
	time.AfterFunc(time.Second, func() { s.fail(m) })
}

func (s *Team) fail(m *player) {
	_, epoch := m.get()
	m.set(2, epoch) // want `m.epoch was read at line 99`
}

// Labels takes its lock by methods.
type Labels struct {
	rw  sync.RWMutex
	all map[string]string
}

func (l *Labels) lock()    { l.rw.Lock() }
func (l *Labels) unlock()  { l.rw.Unlock() }
func (l *Labels) rlock()   { l.rw.RLock() }
func (l *Labels) runlock() { l.rw.RUnlock() }

func (l *Labels) is(k, v string) bool { return l.all[k] == v }

// Fix looks again by a helper, which has no lock of its own.
func (l *Labels) Fix(k string, f func(string) string) {
	l.rlock()
	old := l.all[k]
	l.runlock()
	v := f(old)
	l.lock()
	if l.is(k, old) {
		l.all[k] = v
	}
	l.unlock()
}

// FixAnyway does not look.
func (l *Labels) FixAnyway(k string, f func(string) string) {
	l.rlock()
	old := l.all[k]
	l.runlock()
	v := f(old)
	l.lock()
	l.all[k] = v // want `l.all\[k\] was read at line 132`
	l.unlock()
}

// Pool drops a connection that has failed, in line.
type Pool struct {
	mu     sync.Mutex
	closed bool
	conns  map[string]*session
	marks  map[string]bool
}

type session struct{ addr string }

func (p *Pool) get(addr string) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	return p.conns[addr]
}

func (p *Pool) Put(addr string, s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[addr] = s
}

func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for addr := range p.conns {
		delete(p.conns, addr)
	}
}

// Fail removes the connection if it is still there.
func (p *Pool) Fail(addr string, broken bool) {
	s := p.get(addr)
	if s == nil || !broken {
		return
	}
	p.mu.Lock()
	if c, ok := p.conns[s.addr]; ok && c == s {
		delete(p.conns, s.addr)
	}
	p.mu.Unlock()
}

// Table is answered by whoever takes the channel out.
type Table struct {
	mu sync.Mutex
	m  map[uint64]chan int
}

func (t *Table) Has(id uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[id] != nil
}

func (t *Table) Register(id uint64) chan int {
	ch := make(chan int, 1)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[id] = ch
	return ch
}

func (t *Table) Forget(id uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.m, id)
}

// Answer goes by what it has taken out.
func (t *Table) Answer(id uint64, x int) {
	if t.Has(id) {
		t.mu.Lock()
		ch := t.m[id]
		delete(t.m, id)
		t.mu.Unlock()
		if ch != nil {
			ch <- x
		}
	}
}

// Count goes by what it has found before.
func (t *Table) Count(id uint64, done chan<- uint64) {
	if t.Has(id) {
		t.mu.Lock()
		delete(t.m, id) // want `t.m\[id\] was checked at line 228`
		t.mu.Unlock()
		done <- id
	}
}
