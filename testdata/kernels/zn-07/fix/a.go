package a

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrSoldOut = errors.New("vending: sold out")
	ErrStopped = errors.New("vending: machine is off")
)

type op int

const (
	opVend op = iota
	opRefill
	opRecall
)

type request struct {
	op    op
	slot  int
	n     int
	reply chan error
}

// Machine is one snack machine.
type Machine struct {
	reqs  chan request
	done  chan struct{}
	motor func(slot int) error

	mu    sync.Mutex
	stock map[int]int
	sold  int
}

func NewMachine(motor func(slot int) error) *Machine {
	return &Machine{
		reqs:  make(chan request),
		done:  make(chan struct{}),
		motor: motor,
		stock: make(map[int]int),
	}
}

// Run serves requests until the context ends.
func (m *Machine) Run(ctx context.Context) {
	defer close(m.done)
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-m.reqs:
			r.reply <- m.serve(r)
		}
	}
}

func (m *Machine) serve(r request) error {
	switch r.op {
	case opVend:
		if m.Left(r.slot) == 0 {
			return ErrSoldOut
		}
		if err := m.motor(r.slot); err != nil {
			return err
		}
		m.adjust(r.slot, -1)
	case opRefill:
		m.adjust(r.slot, r.n)
	case opRecall:
		m.empty(r.slot)
	}
	return nil
}

func (m *Machine) adjust(slot, by int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stock[slot] += by
	if by < 0 {
		m.sold -= by
	}
}

func (m *Machine) empty(slot int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stock[slot] = 0
}

func (m *Machine) send(r request) error {
	r.reply = make(chan error, 1)
	select {
	case m.reqs <- r:
		return <-r.reply
	case <-m.done:
		return ErrStopped
	}
}

// Vend drops one item of the slot.
func (m *Machine) Vend(slot int) error { return m.send(request{op: opVend, slot: slot}) }

// Refill adds n items to the slot.
func (m *Machine) Refill(slot, n int) error {
	return m.send(request{op: opRefill, slot: slot, n: n})
}

// Recall takes all items of the slot out of sale.
func (m *Machine) Recall(slot int) error {
	return m.send(request{op: opRecall, slot: slot})
}

// Left tells how many items the slot has.
func (m *Machine) Left(slot int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stock[slot]
}
