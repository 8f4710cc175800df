// Package a controls the lights of a stage.
package a

import (
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Bus sends a frame of levels to the dimmers.
type Bus interface {
	Send(frame []byte) error
}

// ErrClosed is returned by a desk after Close.
var ErrClosed = errors.New("lighting desk is closed")

// Desk holds the levels and repeats them on the bus.
type Desk struct {
	bus     Bus
	closing atomic.Bool
	quit    chan struct{}
	wg      sync.WaitGroup

	mu     sync.Mutex
	dark   bool
	levels []byte
}

// NewDesk starts a desk with n channels.
func NewDesk(bus Bus, n int, refresh time.Duration) *Desk {
	d := &Desk{bus: bus, quit: make(chan struct{}), levels: make([]byte, n)}
	d.wg.Add(1)
	go func() {
		defer d.wg.Done()
		tick := time.NewTicker(refresh)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := d.bus.Send(d.frame()); err != nil {
					log.Printf("lights: %v", err)
				}
			case <-d.quit:
				return
			}
		}
	}()
	return d
}

func (d *Desk) frame() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]byte(nil), d.levels...)
}

// Set changes the level of a channel.
func (d *Desk) Set(channel int, level byte) error {
	if channel < 0 || channel >= len(d.levels) {
		return fmt.Errorf("no channel %d", channel)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dark {
		return ErrClosed
	}
	d.levels[channel] = level
	return nil
}

func (d *Desk) blackout() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dark = true
	clear(d.levels)
}

// Close stops the refresh and turns the lights off. Only the first call does
// so; others get ErrClosed.
func (d *Desk) Close() error {
	if !d.closing.CompareAndSwap(false, true) {
		return ErrClosed
	}
	close(d.quit)
	d.wg.Wait()
	d.blackout()
	return d.bus.Send(d.frame())
}
