// Package a registers the sensors of a building.
package a

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Device is one sensor; its methods can be called from several goroutines.
type Device struct {
	ID string

	mu       sync.Mutex
	channels []string
	rate     time.Duration
	seen     time.Time
}

// AddChannel adds a measured quantity.
func (d *Device) AddChannel(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.channels = append(d.channels, name)
}

// Channels returns the number of measured quantities.
func (d *Device) Channels() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.channels)
}

// SetRate sets the polling interval.
func (d *Device) SetRate(r time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rate = r
}

// Touch notes that the device has answered.
func (d *Device) Touch(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen = now
}

// Prober asks a device what it measures.
type Prober interface {
	Probe(ctx context.Context, id string) ([]string, error)
}

// Registry knows all devices.
type Registry struct {
	prober Prober
	log    *slog.Logger

	mu      sync.RWMutex
	devices map[string]*Device
}

// NewRegistry returns an empty registry.
func NewRegistry(p Prober, log *slog.Logger) *Registry {
	return &Registry{prober: p, log: log, devices: make(map[string]*Device)}
}

// Register probes a device and adds it.
func (r *Registry) Register(ctx context.Context, id string) (*Device, error) {
	names, err := r.prober.Probe(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", id, err)
	}

	d := &Device{ID: id}
	for _, n := range names {
		d.AddChannel(n)
	}
	if d.Channels() == 0 {
		d.AddChannel("status")
	}
	d.SetRate(time.Duration(d.Channels()) * time.Second)
	d.Touch(time.Now())

	r.mu.Lock()
	defer r.mu.Unlock()
	if _, dup := r.devices[id]; dup {
		return nil, fmt.Errorf("device %s is registered already", id)
	}
	r.devices[id] = d
	r.log.Info("device registered", "id", id, "channels", len(names))
	return d, nil
}

// Heard notes an answer of a device.
func (r *Registry) Heard(id string) bool {
	r.mu.RLock()
	d := r.devices[id]
	r.mu.RUnlock()
	if d == nil {
		return false
	}
	d.Touch(time.Now())
	return true
}
