package idiom

import "sync"

// A mailbox has a lock of its own.
type mailbox struct {
	mu   sync.Mutex
	elts []string
}

func (m *mailbox) push(s string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.elts = append(m.elts, s)
}

func (m *mailbox) all() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.elts...)
}

// clear drops what is old, and reports whether nothing is left.
func (m *mailbox) clear(n int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.elts = m.elts[min(n, len(m.elts)):]
	return len(m.elts) == 0
}

// A sender has the mailboxes that are in use.
type sender struct {
	mu    sync.RWMutex
	boxes map[string]*mailbox
}

func (s *sender) Put(to, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.boxes[to] == nil {
		s.boxes[to] = &mailbox{}
	}
	s.boxes[to].push(text)
}

// Collect removes the mailboxes that it has emptied.
func (s *sender) Collect(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for to, box := range s.boxes {
		if box.clear(n) {
			delete(s.boxes, to)
		}
	}
}

// Next looks into the mailbox that it has found, whether it is still in use or not.
func (s *sender) Next(to string) []string {
	s.mu.RLock()
	box := s.boxes[to]
	s.mu.RUnlock()
	if box == nil {
		return nil
	}
	return box.all()
}
