package discarded

import (
	"io"
	"sync"
)

// Seat has one holder, who is told by a channel that somebody else has taken it.
type Seat struct {
	mu      sync.Mutex
	holder  string
	revoked chan struct{}
	line    io.Closer
}

// Take closes a channel that another call may have closed, too.
func (s *Seat) Take(holder string) <-chan struct{} {
	s.mu.Lock()
	old := s.revoked
	s.mu.Unlock()
	if old != nil {
		close(old)
	}
	mine := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holder, s.revoked = holder, mine // want `s.revoked was read at line \d+, but .* what was read is then ended again, and the other one never`
	return mine
}

// TakeAtOnce closes what it has replaced.
func (s *Seat) TakeAtOnce(holder string) <-chan struct{} {
	mine := make(chan struct{})
	s.mu.Lock()
	old := s.revoked
	s.holder, s.revoked = holder, mine
	s.mu.Unlock()
	if old != nil {
		close(old)
	}
	return mine
}

// Connect ends the line before it knows that nobody else has made another one.
func (s *Seat) Connect(line io.Closer) error {
	s.mu.Lock()
	old := s.line
	s.mu.Unlock()
	if err := old.Close(); err != nil {
		return err
	}
	s.mu.Lock()
	s.line = line // want `s.line was read at line \d+, but .* what was read is then ended again, and the other one never`
	s.mu.Unlock()
	return nil
}

// A Probe has a check, which is called and not ended.
type Probe struct {
	mu    sync.RWMutex
	check func() error
}

// NewProbe has a check.
func NewProbe(f func() error) *Probe { return &Probe{check: f} }

// SetCheck refuses a new check unless the present one passes.
func (r *Probe) SetCheck(f func() error) error {
	r.mu.RLock()
	cur := r.check
	r.mu.RUnlock()
	if err := cur(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.check = f
	return nil
}
