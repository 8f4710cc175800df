package mechanisms

import "sync"

type dial struct {
	mu    sync.Mutex
	level int
	load  int
}

func (d *dial) Add(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.level += n
	d.load += n
}

func (d *dial) Level() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.level
}

// Turn sets what it has found to be different.
func (d *dial) Turn(level int) {
	if d.Level() != level {
		d.mu.Lock()
		d.level = level
		d.mu.Unlock()
	}
}

func (d *dial) TurnAndTell(level int, tell func(int)) {
	if d.Level() != level {
		tell(level)
		d.mu.Lock()
		d.level = level // want `check-then-act: d\.level was checked`
		d.mu.Unlock()
	}
}

// Limit sets a constant.
func (d *dial) Limit() {
	d.mu.Lock()
	load := d.load
	d.mu.Unlock()
	if load > 10 {
		d.mu.Lock()
		d.load = 10
		d.mu.Unlock()
	}
}

func (d *dial) LimitAndTell(tell func(int)) {
	d.mu.Lock()
	load := d.load
	d.mu.Unlock()
	if load > 10 {
		tell(load)
		d.mu.Lock()
		d.load = 10 // want `check-then-act: d\.load was checked`
		d.mu.Unlock()
	}
}

// A stager notes what its driver has staged.
type stager struct {
	mu     sync.Mutex
	staged map[string]bool
	driver interface{ stage(string) error }
}

// Stage has the driver stage a disk twice, if two calls find that it is not staged.
func (s *stager) Stage(disk string) error {
	s.mu.Lock()
	done := s.staged[disk]
	s.mu.Unlock()
	if done {
		return nil
	}
	if err := s.driver.stage(disk); err != nil {
		return err
	}
	s.mu.Lock()
	s.staged[disk] = true // want `check-then-act: s.staged\[disk\] was checked at line \d+`
	s.mu.Unlock()
	return nil
}

// Unstage undoes it.
func (s *stager) Unstage(disk string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.staged[disk] = false
}

// A notary notes what has been verified, once for all.
type notary struct {
	mu       sync.Mutex
	verified map[string]bool
	checker  interface{ verify(string) error }
}

func (n *notary) Verify(sig string) error {
	n.mu.Lock()
	done := n.verified[sig]
	n.mu.Unlock()
	if done {
		return nil
	}
	if err := n.checker.verify(sig); err != nil {
		return err
	}
	n.mu.Lock()
	n.verified[sig] = true
	n.mu.Unlock()
	return nil
}

// Note only sets the flag.
func (s *stager) Note(disk string) {
	s.mu.Lock()
	done := s.staged[disk]
	s.mu.Unlock()
	if !done {
		s.mu.Lock()
		s.staged[disk] = true
		s.mu.Unlock()
	}
}
