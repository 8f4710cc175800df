// Package a places the wake-up calls of a hotel.
package a

import (
	"errors"
	"log"
	"sync"
	"time"
)

// Dialer rings the phone of a room.
type Dialer interface {
	Ring(room int) error
}

// ErrStopped is returned once the desk takes no more orders.
var ErrStopped = errors.New("wake-up desk is stopped")

// Desk keeps the orders and rings the rooms.
type Desk struct {
	dialer Dialer
	done   chan struct{}
	exited chan struct{}

	mu      sync.RWMutex
	stopped bool
	orders  map[int]time.Time
}

// Open starts a desk that looks at its orders every interval.
func Open(d Dialer, interval time.Duration) *Desk {
	k := &Desk{
		dialer: d,
		done:   make(chan struct{}),
		exited: make(chan struct{}),
		orders: make(map[int]time.Time),
	}
	go k.run(interval)
	return k
}

func (k *Desk) run(interval time.Duration) {
	defer close(k.exited)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-k.done:
			return
		case now := <-tick.C:
			for _, room := range k.due(now) {
				if err := k.dialer.Ring(room); err != nil {
					log.Printf("room %d: %v", room, err)
				}
			}
		}
	}
}

func (k *Desk) due(now time.Time) []int {
	k.mu.Lock()
	defer k.mu.Unlock()
	var rooms []int
	for room, at := range k.orders {
		if !at.After(now) {
			rooms = append(rooms, room)
			delete(k.orders, room)
		}
	}
	return rooms
}

// Order asks for a call; a later order for a room replaces the earlier one.
func (k *Desk) Order(room int, at time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stopped {
		return ErrStopped
	}
	k.orders[room] = at
	return nil
}

// Stopped reports whether Stop was called.
func (k *Desk) Stopped() bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.stopped
}

// Stop ends the desk and waits for the calls that are being made. It may be
// called by the night manager as well as by the shutdown hook.
func (k *Desk) Stop() {
	k.mu.Lock()
	if !k.stopped {
		k.stopped = true
		close(k.done)
	}
	k.mu.Unlock()
	<-k.exited
}
