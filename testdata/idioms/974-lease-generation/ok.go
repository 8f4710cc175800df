// Package lease hands out named leases that lapse unless they are renewed.
package lease

import (
	"errors"
	"sync"
	"time"
)

var (
	// ErrHeld is returned for a lease that somebody else has.
	ErrHeld = errors.New("lease: held")
	// ErrLost is returned to a holder whose lease has lapsed.
	ErrLost = errors.New("lease: lost")
)

type entry struct {
	holder string
	grant  uint64 // identifies the acquisition
	round  uint64 // identifies the timer that may end it
	timer  *time.Timer
}

// Table is safe for concurrent use.
type Table struct {
	ttl      time.Duration
	onLapsed func(name, holder string)

	mu     sync.Mutex
	seq    uint64
	leases map[string]*entry
}

// Lease is held by one client.
type Lease struct {
	t     *Table
	name  string
	grant uint64
}

// New returns a table; onLapsed is called, without locks, for every lease that
// was not renewed in time. Somebody else may have the lease by then.
func New(ttl time.Duration, onLapsed func(name, holder string)) *Table {
	return &Table{ttl: ttl, onLapsed: onLapsed, leases: make(map[string]*entry)}
}

func (t *Table) next() uint64 {
	t.seq++
	return t.seq
}

// Acquire takes a free lease.
func (t *Table) Acquire(name, holder string) (*Lease, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.leases[name]; ok {
		return nil, ErrHeld
	}
	e := &entry{holder: holder, grant: t.next()}
	t.leases[name] = e
	t.arm(name, e)
	return &Lease{t: t, name: name, grant: e.grant}, nil
}

// arm starts a new timer for e. The caller holds t.mu. A timer that has gone
// off already cannot be stopped, but it does not know the new round.
func (t *Table) arm(name string, e *entry) {
	if e.timer != nil {
		e.timer.Stop()
	}
	round := t.next()
	e.round = round
	e.timer = time.AfterFunc(t.ttl, func() { t.lapse(name, round) })
}

func (t *Table) lapse(name string, round uint64) {
	t.mu.Lock()
	e, ok := t.leases[name]
	if !ok || e.round != round {
		t.mu.Unlock()
		return
	}
	delete(t.leases, name)
	holder := e.holder
	t.mu.Unlock()
	t.onLapsed(name, holder)
}

// own returns the entry of l if l still holds it. The caller holds t.mu.
func (t *Table) own(l *Lease) (*entry, error) {
	e, ok := t.leases[l.name]
	if !ok || e.grant != l.grant {
		return nil, ErrLost
	}
	return e, nil
}

// Valid reports whether the lease is held at the moment.
func (l *Lease) Valid() bool {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	_, err := l.t.own(l)
	return err == nil
}

// Renew gives the holder another period.
func (l *Lease) Renew() error {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	e, err := l.t.own(l)
	if err != nil {
		return err
	}
	l.t.arm(l.name, e)
	return nil
}

// Keep renews the lease until stop is closed, then gives it up. It returns
// early with ErrLost if the lease lapses.
func (l *Lease) Keep(stop <-chan struct{}) error {
	tick := time.NewTicker(l.t.ttl / 3)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return l.Release()
		case <-tick.C:
		}
		if !l.Valid() {
			return ErrLost
		}
		if err := l.Renew(); err != nil {
			return err
		}
	}
}

// Release gives the lease up. Releasing what was lost does no harm to whoever
// has it now.
func (l *Lease) Release() error {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	e, err := l.t.own(l)
	if err != nil {
		return err
	}
	e.timer.Stop()
	delete(l.t.leases, l.name)
	return nil
}
