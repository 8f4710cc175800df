package positions

import "sync"

// A Spool keeps the newest entries: when it is full the oldest one goes.
type Spool struct {
	mu   sync.Mutex
	rows []string
	size int
}

func (s *Spool) Push(x string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.rows) >= s.size {
		s.rows = s.rows[1:]
	}
	s.rows = append(s.rows, x)
}

func (s *Spool) head(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.rows[:min(n, len(s.rows))]...)
}

// discard removes n from the front, whatever is there.
func (s *Spool) discard(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = s.rows[min(n, len(s.rows)):]
}

// Send removes as many as it has sent, which may be others.
func (s *Spool) Send(n int, send func([]string) error) error {
	batch := s.head(n)
	if err := send(batch); err != nil {
		return err
	}
	s.discard(len(batch)) // want `s.rows was read at line 36, but s.mu was released when head returned and what this call of discard removes is computed from a value that another goroutine may have changed`
	return nil
}

// A Feed only grows at its end, and one goroutine removes what it has sent.
type Feed struct {
	mu   sync.Mutex
	rows []string
}

func NewFeed(send func([]string)) *Feed {
	f := new(Feed)
	go func() {
		for {
			batch := f.head()
			send(batch)
			f.discard(len(batch))
		}
	}()
	return f
}

func (f *Feed) Push(x string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = append(f.rows, x)
}

func (f *Feed) head() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.rows...)
}

func (f *Feed) discard(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = f.rows[n:]
}
