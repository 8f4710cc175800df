package instances

import "sync"

// A Spool has one consumer, and others only append.
type Spool struct {
	mu    sync.Mutex
	lines []string
	kick  chan struct{}
}

// NewSpool starts the consumer.
func NewSpool() *Spool {
	s := &Spool{kick: make(chan struct{}, 1)}
	go s.run()
	return s
}

// Add appends a line.
func (s *Spool) Add(line string) {
	s.mu.Lock()
	s.lines = append(s.lines, line)
	s.mu.Unlock()
}

func (s *Spool) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lines)
}

func (s *Spool) pop() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[0]
	s.lines = s.lines[1:]
	return l
}

func (s *Spool) run() {
	for range s.kick {
		for s.len() > 0 {
			println(s.pop())
		}
	}
}

// A Reel can be emptied by others.
type Reel struct {
	mu    sync.Mutex
	lines []string
	kick  chan struct{}
}

// NewReel starts the consumer.
func NewReel() *Reel {
	r := &Reel{kick: make(chan struct{}, 1)}
	go r.run()
	return r
}

// Add appends a line.
func (r *Reel) Add(line string) {
	r.mu.Lock()
	r.lines = append(r.lines, line)
	r.mu.Unlock()
}

// Clear removes all.
func (r *Reel) Clear() {
	r.mu.Lock()
	r.lines = nil
	r.mu.Unlock()
}

func (r *Reel) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.lines)
}

func (r *Reel) pop() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lines[0]
	r.lines = r.lines[1:]
	return l
}

func (r *Reel) run() {
	for range r.kick {
		for r.len() > 0 {
			println(r.pop()) // want `Reel.lines was checked|r.lines was checked`
		}
	}
}

// A Shelf is full at some time.
type Shelf struct {
	mu    sync.Mutex
	books []string
}

func (s *Shelf) room() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return 10 - len(s.books)
}

// Put may be one of two that have found the last place.
func (s *Shelf) Put(book string) bool {
	if s.room() <= 0 {
		return false
	}
	s.mu.Lock()
	s.books = append(s.books, book) // want `s.books was checked`
	s.mu.Unlock()
	return true
}

// A Log only grows.
type Log struct {
	mu      sync.RWMutex
	entries []string
}

// Append adds an entry.
func (l *Log) Append(e string) {
	l.mu.Lock()
	l.entries = append(l.entries, e)
	l.mu.Unlock()
}

// A Cursor is of one goroutine.
type Cursor struct {
	log  *Log
	pos  int
	last string
}

// Next goes on to the next entry, which stays where it is.
func (c *Cursor) Next() bool {
	c.log.mu.RLock()
	more := c.pos < len(c.log.entries)
	c.log.mu.RUnlock()
	if !more {
		return false
	}
	c.log.mu.RLock()
	c.last = c.log.entries[c.pos]
	c.log.mu.RUnlock()
	c.pos++
	return true
}

// A Tape can be rewound.
type Tape struct {
	mu      sync.RWMutex
	entries []string
}

// Append adds an entry.
func (t *Tape) Append(e string) {
	t.mu.Lock()
	t.entries = append(t.entries, e)
	t.mu.Unlock()
}

// Cut removes what comes after.
func (t *Tape) Cut(n int) {
	t.mu.Lock()
	t.entries = t.entries[:n]
	t.mu.Unlock()
}

// A Head is of one goroutine.
type Head struct {
	tape *Tape
	pos  int
	last string
}

// Next goes on to the next entry, which may be cut off.
func (h *Head) Next() bool {
	h.tape.mu.RLock()
	more := h.pos < len(h.tape.entries)
	h.tape.mu.RUnlock()
	if !more {
		return false
	}
	h.tape.mu.RLock()
	h.last = h.tape.entries[h.pos] // want `entries was checked`
	h.tape.mu.RUnlock()
	h.pos++
	return true
}
