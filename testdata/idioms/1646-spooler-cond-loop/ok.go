package a

import (
	"errors"
	"sync"
)

var ErrStopped = errors.New("spooler: stopped")

type Document struct {
	Name  string
	Pages int
	Color bool
}

type Printer interface {
	Print(doc Document) error
}

type Spooler struct {
	limit int

	mu      sync.Mutex
	changed *sync.Cond
	queue   []Document
	paused  bool
	stopped bool
	printed int
	failed  int
}

func NewSpooler(limit int) *Spooler {
	s := &Spooler{limit: limit}
	s.changed = sync.NewCond(&s.mu)
	return s
}

func (s *Spooler) Add(doc Document) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) >= s.limit && !s.stopped {
		s.changed.Wait()
	}
	if s.stopped {
		return ErrStopped
	}
	s.queue = append(s.queue, doc)
	s.changed.Broadcast()
	return nil
}

func (s *Spooler) next() (Document, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.stopped && (s.paused || len(s.queue) == 0) {
		s.changed.Wait()
	}
	if s.stopped {
		return Document{}, false
	}
	doc := s.queue[0]
	s.queue = s.queue[1:]
	s.changed.Broadcast()
	return doc, true
}

func (s *Spooler) count(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failed++
		return
	}
	s.printed++
}

// Serve is called in one goroutine for each printer.
func (s *Spooler) Serve(p Printer) {
	for {
		doc, ok := s.next()
		if !ok {
			return
		}
		s.count(p.Print(doc))
	}
}

func (s *Spooler) Pause(on bool) {
	s.mu.Lock()
	s.paused = on
	s.mu.Unlock()
	s.changed.Broadcast()
}

func (s *Spooler) Stop() []Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	left := s.queue
	s.queue = nil
	s.changed.Broadcast()
	return left
}

func (s *Spooler) Report() (printed, failed, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.printed, s.failed, len(s.queue)
}
