package skew

import (
	"errors"
	"sync"
)

var errStarted = errors.New("started")

type seat struct {
	name  string
	ready bool
}

// A Table is started when all are ready, and nobody comes in after that.
type Table struct {
	places int

	mu      sync.Mutex
	started bool
	seats   []seat
}

func (t *Table) Join(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.started {
		return errStarted
	}
	if len(t.seats) == t.places {
		return errBusy
	}
	t.seats = append(t.seats, seat{name: name})
	return nil
}

func (t *Table) ready() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.allReady()
}

func (t *Table) allReady() bool {
	for _, s := range t.seats {
		if !s.ready {
			return false
		}
	}
	return true
}

func (t *Table) begin() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.started {
		return errStarted
	}
	t.started = true
	return nil
}

// Start may start with one who has come in since.
func (t *Table) Start(deal func() error) error {
	if !t.ready() {
		return errBusy
	}
	if err := deal(); err != nil {
		return err
	}
	return t.begin() // want `check-then-act: t.seats was checked at line \d+`
}

// StartNow asks again in the section that starts.
func (t *Table) StartNow(deal func() error) error {
	if !t.ready() {
		return errBusy
	}
	if err := deal(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.started || !t.allReady() {
		return errStarted
	}
	t.started = true
	return nil
}
