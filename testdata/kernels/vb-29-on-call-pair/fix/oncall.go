package oncall

import (
	"errors"
	"sync"
	"time"
)

var ErrLast = errors.New("oncall: nobody else is on duty")

type duty struct {
	sync.RWMutex
	who   string
	since time.Time
}

func (d *duty) covered() bool {
	d.RLock()
	defer d.RUnlock()
	return d.who != ""
}

func (d *duty) set(who string) {
	d.Lock()
	defer d.Unlock()
	d.who, d.since = who, time.Now()
}

func (d *duty) holder() (string, time.Duration) {
	d.RLock()
	defer d.RUnlock()
	return d.who, time.Since(d.since)
}

// Rota keeps at least one engineer on duty at any time.
type Rota struct {
	handover      sync.Mutex
	first, second duty
}

func NewRota(first, second string) *Rota {
	r := &Rota{}
	r.handover.Lock()
	defer r.handover.Unlock()
	r.first.set(first)
	r.second.set(second)
	return r
}

// SignOffFirst ends the first engineer's duty.
func (r *Rota) SignOffFirst() error {
	r.handover.Lock()
	defer r.handover.Unlock()
	if !r.second.covered() {
		return ErrLast
	}
	r.first.set("")
	return nil
}

// SignOffSecond ends the second engineer's duty.
func (r *Rota) SignOffSecond() error {
	r.handover.Lock()
	defer r.handover.Unlock()
	if !r.first.covered() {
		return ErrLast
	}
	r.second.set("")
	return nil
}

// Relieve replaces whoever has been on duty for longer.
func (r *Rota) Relieve(who string) {
	r.handover.Lock()
	defer r.handover.Unlock()
	_, a := r.first.holder()
	_, b := r.second.holder()
	if a >= b {
		r.first.set(who)
	} else {
		r.second.set(who)
	}
}

// Page calls the engineer on duty; there always is one.
func (r *Rota) Page(call func(who string)) {
	for _, d := range [...]*duty{&r.first, &r.second} {
		if who, _ := d.holder(); who != "" {
			call(who)
			return
		}
	}
	panic("oncall: nobody to page")
}
