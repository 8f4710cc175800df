// Package watchdog supervises the tasks of an embedded agent.
package watchdog

import (
	"errors"
	"sync"
	"time"
)

var (
	// ErrTripped is returned by Kick once the watchdog has fired.
	ErrTripped = errors.New("watchdog: tripped")
	// ErrStopped is returned by Kick after Stop.
	ErrStopped = errors.New("watchdog: stopped")
)

// Dog fires once if it is not kicked in time. Tasks kick it from their own
// goroutines; the callback runs in a goroutine of the timer.
type Dog struct {
	limit  time.Duration
	onTrip func()

	mu      sync.Mutex
	epoch   uint64
	timer   *time.Timer
	tripped bool
	stopped bool
}

// New returns a running watchdog.
func New(limit time.Duration, onTrip func()) *Dog {
	d := &Dog{limit: limit, onTrip: onTrip}
	d.mu.Lock()
	d.armLocked()
	d.mu.Unlock()
	return d
}

// armLocked starts a new period.
func (d *Dog) armLocked() {
	d.epoch++
	epoch := d.epoch
	d.timer = time.AfterFunc(d.limit, func() { d.expire(epoch) })
}

// Kick starts the period anew.
func (d *Dog) Kick() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.tripped:
		return ErrTripped
	case d.stopped:
		return ErrStopped
	}
	d.timer.Stop()
	d.armLocked()
	return nil
}

func (d *Dog) expire(epoch uint64) {
	d.mu.Lock()
	if d.epoch != epoch || d.stopped {
		d.mu.Unlock()
		return
	}
	d.tripped = true
	d.mu.Unlock()
	d.onTrip()
}

// Stop ends the supervision. It reports false if the watchdog has fired.
func (d *Dog) Stop() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = true
	d.timer.Stop()
	return !d.tripped
}

// Kennel keeps one watchdog per task.
type Kennel struct {
	limit  time.Duration
	onTrip func(task string)

	mu     sync.Mutex
	dogs   map[string]*Dog
	closed bool
}

// NewKennel returns a kennel; onTrip gets the name of the task that hangs.
func NewKennel(limit time.Duration, onTrip func(string)) *Kennel {
	return &Kennel{limit: limit, onTrip: onTrip, dogs: make(map[string]*Dog)}
}

// Watch returns the watchdog of a task and starts it the first time. In a
// closed kennel it is a stopped one.
func (k *Kennel) Watch(task string) *Dog {
	k.mu.Lock()
	defer k.mu.Unlock()
	d, ok := k.dogs[task]
	if !ok {
		d = New(k.limit, func() { k.onTrip(task) })
		k.dogs[task] = d
		if k.closed {
			d.Stop()
		}
	}
	return d
}

// Close stops all watchdogs.
func (k *Kennel) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	for _, d := range k.dogs {
		d.Stop()
	}
}
