package spool

import (
	"container/list"
	"sync"
)

// Document is one print job.
type Document struct {
	Title string
	Pages int
}

// Spool feeds printers from a common queue.
type Spool struct {
	m      sync.Mutex
	filled *sync.Cond
	docs   list.List
	closed bool
}

func New(printers ...func(Document)) *Spool {
	s := &Spool{}
	s.filled = sync.NewCond(&s.m)
	for _, p := range printers {
		go s.feed(p)
	}
	return s
}

func (s *Spool) feed(print func(Document)) {
	for {
		d, ok := s.Take()
		if !ok {
			return
		}
		print(d)
	}
}

func (s *Spool) Submit(d Document) {
	s.m.Lock()
	defer s.m.Unlock()
	s.docs.PushBack(d)
	s.filled.Signal()
}

func (s *Spool) Close() {
	s.m.Lock()
	s.closed = true
	s.m.Unlock()
	s.filled.Broadcast()
}

func (s *Spool) popLocked() (d Document, found, closed bool) {
	if el := s.docs.Front(); el != nil {
		return s.docs.Remove(el).(Document), true, false
	}
	return Document{}, false, s.closed
}

// Take waits for a document; ok is false once the spool is closed and empty.
func (s *Spool) Take() (d Document, ok bool) {
	s.m.Lock()
	defer s.m.Unlock()
	for {
		d, found, closed := s.popLocked()
		if found || closed {
			return d, found
		}
		s.filled.Wait()
	}
}
