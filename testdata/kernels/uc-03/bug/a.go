package a

import (
	"context"
	"sync"
	"time"
)

// Backend is the lock service that decides who leads.
type Backend interface {
	// Acquire tries to become leader and returns the new term.
	Acquire(ctx context.Context, id string) (term uint64, ok bool, err error)
	// Renew extends the leadership of a term.
	Renew(ctx context.Context, id string, term uint64) error
}

// Elector runs a duty for as long as this process is the leader. Terms
// grow with each election; a process can win two elections in a row.
type Elector struct {
	id      string
	backend Backend
	period  time.Duration
	duty    func(ctx context.Context)

	mu      sync.Mutex
	term    uint64
	leading bool
	cancel  context.CancelFunc
}

// NewElector makes an elector that renews its leadership each period.
func NewElector(id string, b Backend, period time.Duration, duty func(context.Context)) *Elector {
	return &Elector{id: id, backend: b, period: period, duty: duty}
}

// Campaign takes part in one election and says whether it was won.
func (e *Elector) Campaign(ctx context.Context) (bool, error) {
	term, ok, err := e.backend.Acquire(ctx, e.id)
	if err != nil || !ok {
		return false, err
	}
	return e.promote(ctx, term), nil
}

// promote starts the duty for a term that was won.
func (e *Elector) promote(parent context.Context, term uint64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if term <= e.term {
		return false
	}
	if cancel := e.demoteLocked(); cancel != nil {
		cancel()
	}
	ctx, cancel := context.WithCancel(parent)
	e.term, e.leading, e.cancel = term, true, cancel
	go e.duty(ctx)
	go e.renew(ctx, term)
	return true
}

// demoteLocked ends the current leadership. The caller holds e.mu.
func (e *Elector) demoteLocked() context.CancelFunc {
	cancel := e.cancel
	e.leading, e.cancel = false, nil
	return cancel
}

// renew keeps a term alive until it fails or its context ends.
func (e *Elector) renew(ctx context.Context, term uint64) {
	t := time.NewTicker(e.period)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if err := e.backend.Renew(ctx, e.id, term); err != nil {
			e.resign(term)
			return
		}
	}
}

// resign gives up a term that could not be renewed. A later term which was
// won in the meantime goes on.
func (e *Elector) resign(term uint64) {
	if e.Term() != term {
		return
	}
	e.mu.Lock()
	cancel := e.demoteLocked()
	e.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// StepDown gives up the leadership, whatever its term.
func (e *Elector) StepDown() {
	e.mu.Lock()
	cancel := e.demoteLocked()
	e.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// Term returns the last term that was won.
func (e *Elector) Term() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.term
}

// Leading says whether this process leads.
func (e *Elector) Leading() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.leading
}
