// Package bug tracks how far the file indexes of remote devices have come in.
package bug

import (
	"context"
	"errors"
	"sync"
)

var ErrUnknownDevice = errors.New("index: unknown device")

// DeviceID names a peer.
type DeviceID string

// FileInfo is a file as a device announced it.
type FileInfo struct {
	Name     string
	Size     int64
	Deleted  bool
	Sequence int64
}

type deviceIndex struct {
	files    map[string]FileInfo
	sequence int64
	changed  chan struct{}
}

// Tracker holds one index per device.
type Tracker struct {
	mu      sync.RWMutex
	devices map[DeviceID]*deviceIndex
}

func NewTracker() *Tracker {
	return &Tracker{devices: make(map[DeviceID]*deviceIndex)}
}

// AddDevice begins with an empty index. Devices stay for good.
func (t *Tracker) AddDevice(id DeviceID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.devices[id]; !ok {
		t.devices[id] = &deviceIndex{files: make(map[string]FileInfo), changed: make(chan struct{})}
	}
}

// Update takes in a part of a device's index, as it was received.
func (t *Tracker) Update(id DeviceID, batch []FileInfo) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	d, ok := t.devices[id]
	if !ok {
		return ErrUnknownDevice
	}
	for _, f := range batch {
		if old, ok := d.files[f.Name]; ok && old.Sequence >= f.Sequence {
			continue
		}
		d.files[f.Name] = f
		d.sequence = max(d.sequence, f.Sequence)
	}
	close(d.changed)
	d.changed = make(chan struct{})
	return nil
}

// File looks one file up.
func (t *Tracker) File(id DeviceID, name string) (FileInfo, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	d, ok := t.devices[id]
	if !ok {
		return FileInfo{}, false
	}
	f, ok := d.files[name]
	return f, ok && !f.Deleted
}

// Sequence is the highest sequence that has come in from a device.
func (t *Tracker) Sequence(id DeviceID) (int64, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	d, ok := t.devices[id]
	if !ok {
		return 0, ErrUnknownDevice
	}
	return d.sequence, nil
}

func (t *Tracker) changes(id DeviceID) (<-chan struct{}, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	d, ok := t.devices[id]
	if !ok {
		return nil, ErrUnknownDevice
	}
	return d.changed, nil
}

// WaitFor returns when a device's index has come in up to seq; the puller
// calls it before it decides which files are missing.
func (t *Tracker) WaitFor(ctx context.Context, id DeviceID, seq int64) error {
	for {
		have, err := t.Sequence(id)
		if err != nil {
			return err
		}
		if have >= seq {
			return nil
		}
		ch, err := t.changes(id)
		if err != nil {
			return err
		}
		select {
		case <-ch:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
