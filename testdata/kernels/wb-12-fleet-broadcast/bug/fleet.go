// Package fleet sends commands to the devices of a fleet.
package fleet

import (
	"container/list"
	"fmt"
	"sync"
)

// Device is a device that is online.
type Device struct {
	ID   string
	Addr string
}

// Fleet has the devices in the order they came online.
type Fleet struct {
	send func(addr, cmd string) error

	mu     sync.Mutex
	online *list.List // of Device
	byID   map[string]*list.Element
}

// New returns a fleet without devices.
func New(send func(addr, cmd string) error) *Fleet {
	return &Fleet{
		send:   send,
		online: list.New(),
		byID:   make(map[string]*list.Element),
	}
}

// Join is called when a device connects.
func (f *Fleet) Join(d Device) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.byID[d.ID]; ok {
		return fmt.Errorf("device %s is online already", d.ID)
	}
	f.byID[d.ID] = f.online.PushBack(d)
	return nil
}

// Leave is called when a device disconnects.
func (f *Fleet) Leave(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.byID[id]; ok {
		f.online.Remove(e)
		delete(f.byID, id)
	}
}

// Broadcast sends a command to every device, and returns how many got it.
// Devices may come and go while it runs.
func (f *Fleet) Broadcast(cmd string) (sent int) {
	f.mu.Lock()
	for e := f.online.Front(); e != nil; {
		d := e.Value.(Device)
		f.mu.Unlock() // sending takes long
		if err := f.send(d.Addr, cmd); err == nil {
			sent++
		}
		f.mu.Lock()
		e = e.Next()
	}
	f.mu.Unlock()
	return sent
}

// Size returns the number of devices online.
func (f *Fleet) Size() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.online.Len()
}
