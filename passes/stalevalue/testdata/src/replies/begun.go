package replies

import (
	"errors"
	"sync"
)

type launcher interface {
	Start(id string) (pid int, err error)
}

type exit struct{ pid, status int }

// A process ends once.
type process struct {
	once   sync.Once
	done   chan struct{}
	mu     sync.Mutex
	status int
}

func (p *process) end(status int) {
	p.once.Do(func() {
		p.mu.Lock()
		p.status = status
		p.mu.Unlock()
		close(p.done)
	})
}

// A Shim is told once of the end of each process.
type Shim struct {
	runtime launcher
	mu      sync.Mutex
	running map[int]*process
	early   map[int]int
}

func NewShim(r launcher, exits <-chan exit) *Shim {
	s := &Shim{runtime: r, running: make(map[int]*process), early: make(map[int]int)}
	go s.reap(exits)
	return s
}

func (s *Shim) reap(exits <-chan exit) {
	for e := range exits {
		s.mu.Lock()
		p, ok := s.running[e.pid]
		delete(s.running, e.pid)
		if !ok {
			s.early[e.pid] = e.status
		}
		s.mu.Unlock()
		if ok {
			s.ended(p, e.status)
		}
	}
}

func (s *Shim) ended(p *process, status int) { p.end(status) }

func (s *Shim) Start(id string) (*process, error) {
	pid, err := s.runtime.Start(id)
	if err != nil {
		return nil, err
	}
	p := &process{done: make(chan struct{})}
	s.mu.Lock()
	s.running[pid] = p // want `what has the key of s.running\[.*\] is sent at line 63, and the entry is made here`
	s.mu.Unlock()
	return p, nil
}

// StartKept is right.
func (s *Shim) StartKept(id string) (*process, error) {
	pid, err := s.runtime.Start(id)
	if err != nil {
		return nil, err
	}
	p := &process{done: make(chan struct{})}
	s.mu.Lock()
	status, ended := s.early[pid]
	if !ended {
		s.running[pid] = p
	}
	s.mu.Unlock()
	if ended {
		p.end(status)
	}
	return p, nil
}

type disk interface {
	Make(name string) (root int, err error)
}

// Boxes are stopped by those who have their numbers.
type Boxes struct {
	disk disk
	mu   sync.Mutex
	all  map[int]*process
}

// Make is right: nobody has the number before it returns.
func (b *Boxes) Make(name string) (int, error) {
	root, err := b.disk.Make(name)
	if err != nil {
		return 0, err
	}
	b.mu.Lock()
	b.all[root] = &process{done: make(chan struct{})}
	b.mu.Unlock()
	return root, nil
}

func (b *Boxes) Stop(root int) error {
	b.mu.Lock()
	p := b.all[root]
	delete(b.all, root)
	b.mu.Unlock()
	if p == nil {
		return errors.New("no such box")
	}
	p.end(0)
	return nil
}
