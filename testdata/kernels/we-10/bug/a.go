// Package a holds the commands that operators send to a fleet of devices until
// the devices come and fetch them.
package a

import (
	"errors"
	"sync"
)

var (
	ErrUnknownDevice = errors.New("fleet: unknown device")
	ErrEnrolled      = errors.New("fleet: device is enrolled already")
)

// Command is an instruction for one device. The operator's ticket stays open
// until the command is either fetched or handed back.
type Command struct {
	Ticket string
	Verb   string
	Args   []string
}

// mailbox holds what a device has not fetched.
type mailbox struct {
	mu      sync.Mutex
	waiting []Command
}

func (m *mailbox) put(c Command) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting = append(m.waiting, c)
}

// takeAll empties the mailbox.
func (m *mailbox) takeAll() []Command {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.waiting
	m.waiting = nil
	return out
}

// Fleet knows the mailboxes of all enrolled devices.
type Fleet struct {
	mu    sync.RWMutex
	boxes map[string]*mailbox
}

// NewFleet returns a fleet without devices.
func NewFleet() *Fleet {
	return &Fleet{boxes: make(map[string]*mailbox)}
}

func (f *Fleet) box(device string) (*mailbox, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	m, ok := f.boxes[device]
	if !ok {
		return nil, ErrUnknownDevice
	}
	return m, nil
}

// Enroll adds a device.
func (f *Fleet) Enroll(device string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.boxes[device]; ok {
		return ErrEnrolled
	}
	f.boxes[device] = &mailbox{}
	return nil
}

// Send leaves a command for device. Without an error the command will be
// fetched by the device or handed back by Decommission.
func (f *Fleet) Send(device string, c Command) error {
	m, err := f.box(device)
	if err != nil {
		return err
	}
	m.put(c)
	return nil
}

// Fetch gives a device its commands.
func (f *Fleet) Fetch(device string) ([]Command, error) {
	m, err := f.box(device)
	if err != nil {
		return nil, err
	}
	return m.takeAll(), nil
}

// Decommission removes a device and hands its open commands back, so that
// their tickets can be closed.
func (f *Fleet) Decommission(device string) ([]Command, error) {
	f.mu.Lock()
	m, ok := f.boxes[device]
	delete(f.boxes, device)
	f.mu.Unlock()
	if !ok {
		return nil, ErrUnknownDevice
	}
	return m.takeAll(), nil
}

// Size returns the number of enrolled devices.
func (f *Fleet) Size() int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return len(f.boxes)
}
