// Package a drives the lamp of a lighthouse.
package a

import (
	"errors"
	"sync"
	"time"
)

// Lamp switches the light.
type Lamp interface {
	Set(on bool) error
}

// Beacon repeats a pattern of light and dark.
type Beacon struct {
	lamp    Lamp
	pattern []time.Duration
	stop    chan struct{}
	once    sync.Once
	done    chan struct{}

	mu     sync.RWMutex
	phase  int
	rounds int
	fault  error
}

// Light starts a beacon. Phases with even numbers are lit.
func Light(lamp Lamp, pattern ...time.Duration) (*Beacon, error) {
	if len(pattern) == 0 || len(pattern)%2 != 0 {
		return nil, errors.New("pattern needs pairs of light and dark")
	}
	b := &Beacon{
		lamp:    lamp,
		pattern: append([]time.Duration(nil), pattern...),
		stop:    make(chan struct{}),
		done:    make(chan struct{}),
	}
	go b.loop()
	return b, nil
}

// Phase returns the number of the current phase.
func (b *Beacon) Phase() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.phase
}

// Rounds returns how often the whole pattern has been shown.
func (b *Beacon) Rounds() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.rounds
}

// Fault returns the last error of the lamp.
func (b *Beacon) Fault() error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.fault
}

func (b *Beacon) loop() {
	defer close(b.done)
	for {
		phase := b.Phase()
		err := b.lamp.Set(phase%2 == 0)
		t := time.NewTimer(b.pattern[phase])
		select {
		case <-t.C:
		case <-b.stop:
			t.Stop()
			return
		}
		b.advance((phase+1)%len(b.pattern), err)
	}
}

// advance is called by loop alone.
func (b *Beacon) advance(next int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.phase = next
	if next == 0 {
		b.rounds++
	}
	if err != nil {
		b.fault = err
	}
}

// Douse stops the beacon and puts the lamp out.
func (b *Beacon) Douse() error {
	b.once.Do(func() { close(b.stop) })
	<-b.done
	return b.lamp.Set(false)
}
