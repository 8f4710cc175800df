package takeover

import (
	"errors"
	"sync"
)

var errTaken = errors.New("taken")

// Sandboxes holds a place for each that boots. Only one that has booted is taken out by others.
type Sandboxes struct {
	mu    sync.Mutex
	slots map[string]*Sandbox
}

type Sandbox struct{ vm *Machine }

type Machine struct{ addr string }

func (s *Sandboxes) claim(name string) (*Sandbox, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots[name] != nil {
		return nil, errTaken
	}
	b := &Sandbox{}
	s.slots[name] = b
	return b, nil
}

// Launch gives the place up if its sandbox does not boot.
func (s *Sandboxes) Launch(name string, boot func() (*Machine, error)) error {
	b, err := s.claim(name)
	if err != nil {
		return err
	}
	vm, err := boot()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		delete(s.slots, name)
		return err
	}
	b.vm = vm
	return nil
}

// Stop leaves alone what boots.
func (s *Sandboxes) Stop(name string) *Machine {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.slots[name]
	if !ok || b.vm == nil {
		return nil
	}
	delete(s.slots, name)
	return b.vm
}

// Boxes are like Sandboxes, but others may finish one that boots.
type Boxes struct {
	mu    sync.Mutex
	slots map[string]*Box
}

type Box struct{ vm *Machine }

func (s *Boxes) claim(name string) (*Box, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots[name] != nil {
		return nil, errTaken
	}
	b := &Box{}
	s.slots[name] = b
	return b, nil
}

func (s *Boxes) Launch(name string, boot func() (*Machine, error)) error {
	b, err := s.claim(name)
	if err != nil {
		return err
	}
	vm, err := boot()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		delete(s.slots, name) // want `s.slots\[name\] is removed here, whatever is there by now`
		return err
	}
	b.vm = vm
	return nil
}

// Adopt gives a machine to a box.
func (s *Boxes) Adopt(name string, vm *Machine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.slots[name]; b != nil {
		b.vm = vm
	}
}

func (s *Boxes) Stop(name string) *Machine {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.slots[name]
	if !ok || b.vm == nil {
		return nil
	}
	delete(s.slots, name)
	return b.vm
}

// Cells are like Sandboxes, but all of them are removed at once.
type Cells struct {
	mu    sync.Mutex
	slots map[string]*Cell
}

type Cell struct{ vm *Machine }

func (s *Cells) claim(name string) (*Cell, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots[name] != nil {
		return nil, errTaken
	}
	c := &Cell{}
	s.slots[name] = c
	return c, nil
}

func (s *Cells) Launch(name string, boot func() (*Machine, error)) error {
	c, err := s.claim(name)
	if err != nil {
		return err
	}
	vm, err := boot()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		delete(s.slots, name) // want `s.slots\[name\] is removed here, whatever is there by now`
		return err
	}
	c.vm = vm
	return nil
}

func (s *Cells) Stop(name string) *Machine {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.slots[name]
	if !ok || c.vm == nil {
		return nil
	}
	delete(s.slots, name)
	return c.vm
}

func (s *Cells) StopAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.slots)
}
