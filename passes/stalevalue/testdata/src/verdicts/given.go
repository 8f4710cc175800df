package verdicts

import (
	"errors"
	"sync"
)

var errBig = errors.New("too big")

// A spool gives what it has encoded to a function that checks it, which the package has: its error
// says something about what was read.
type spool struct {
	mu    sync.Mutex
	last  int
	dirty int
}

func (s *spool) encode() []int { return []int{s.last, s.dirty} }

func (s *spool) Put() {
	s.mu.Lock()
	s.last++
	s.dirty = s.last
	s.mu.Unlock()
}

func fits(buf []int) error {
	if len(buf) > 0 && buf[0] > 100 {
		return errBig
	}
	return nil
}

func (s *spool) Check() error {
	s.mu.Lock()
	buf := s.encode()
	s.mu.Unlock()
	if err := fits(buf); err != nil {
		return err
	}
	s.mu.Lock()
	s.dirty = 0 // want `s\.last was checked at line 36`
	s.mu.Unlock()
	return nil
}
