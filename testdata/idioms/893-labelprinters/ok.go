// Package labels prints shipping labels on a small set of printers.
package labels

import (
	"context"
	"fmt"
	"sync"
)

// Device is the driver of one printer. It is not safe for concurrent use.
type Device interface {
	Print(label []byte) error
	Reload() error
}

// printer is one printer and its paper. Whoever has received it from the idle
// channel is the only one to change it; mu lets the status page look on.
type printer struct {
	name   string
	device Device

	mu    sync.Mutex
	left  int
	jobs  int
	fault error
}

// Status is what the status page shows of a printer.
type Status struct {
	Name  string
	Left  int
	Jobs  int
	Fault error
}

func (p *printer) status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Status{Name: p.name, Left: p.left, Jobs: p.jobs, Fault: p.fault}
}

func (p *printer) note(left, jobs int, fault error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left, p.jobs, p.fault = left, jobs, fault
}

// Shop is the set of printers. It is safe for concurrent use.
type Shop struct {
	roll int // labels on a new roll
	all  []*printer
	idle chan *printer
}

// NewShop returns a shop of the given devices, all without paper.
func NewShop(roll int, devices ...Device) *Shop {
	s := &Shop{roll: max(roll, 1), idle: make(chan *printer, len(devices))}
	for i, d := range devices {
		p := &printer{name: fmt.Sprintf("P%d", i+1), device: d}
		s.all = append(s.all, p)
		s.idle <- p
	}
	return s
}

// Print prints the label on the next idle printer.
func (s *Shop) Print(ctx context.Context, label []byte) error {
	select {
	case p := <-s.idle:
		defer func() { s.idle <- p }()
		return s.printOn(p, label)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// printOn prints on p, which the caller has taken from s.idle.
func (s *Shop) printOn(p *printer, label []byte) error {
	st := p.status()
	if st.Left == 0 {
		if err := p.device.Reload(); err != nil {
			p.note(0, st.Jobs, err)
			return fmt.Errorf("labels: %s: %w", p.name, err)
		}
		st.Left = s.roll
		p.note(st.Left, st.Jobs, nil)
	}
	if err := p.device.Print(label); err != nil {
		p.note(st.Left, st.Jobs, err)
		return fmt.Errorf("labels: %s: %w", p.name, err)
	}
	p.note(st.Left-1, st.Jobs+1, nil)
	return nil
}

// Status returns the status of each printer.
func (s *Shop) Status() []Status {
	out := make([]Status, 0, len(s.all))
	for _, p := range s.all {
		out = append(out, p.status())
	}
	return out
}
