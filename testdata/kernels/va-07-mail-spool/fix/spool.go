package spool

import (
	"container/list"
	"sync"
)

type Mail struct {
	To, Body string
}

type Spool struct {
	mu      sync.Mutex
	arrived *sync.Cond
	queue   list.List
	closed  bool
	send    func(Mail)
	workers sync.WaitGroup
}

func New(n int, send func(Mail)) *Spool {
	s := &Spool{send: send}
	s.arrived = sync.NewCond(&s.mu)
	s.queue.Init()
	for range n {
		s.workers.Add(1)
		go s.deliver()
	}
	return s
}

func (s *Spool) awaitMailLocked() bool {
	for s.queue.Len() == 0 && !s.closed {
		s.arrived.Wait()
	}
	return s.queue.Len() > 0
}

func (s *Spool) deliver() {
	defer s.workers.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.awaitMailLocked() {
		m := s.queue.Remove(s.queue.Front()).(Mail)
		s.mu.Unlock()
		s.send(m)
		s.mu.Lock()
	}
}

func (s *Spool) Post(m Mail) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.queue.PushBack(m)
	s.arrived.Signal()
	return true
}

func (s *Spool) Close() {
	s.mu.Lock()
	s.closed = true
	s.arrived.Broadcast()
	s.mu.Unlock()
	s.workers.Wait()
}
