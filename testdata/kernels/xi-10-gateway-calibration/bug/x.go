// Package gateway receives raw sensor readings over the field bus and forwards
// them in physical units.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors returned by Gateway.
var (
	ErrConnected = errors.New("gateway: device is connected already")
	ErrUnknown   = errors.New("gateway: unknown device")
)

// Calibration turns raw counts into physical units.
type Calibration struct {
	Scale  float64
	Offset float64
	Unit   string
}

// Registry stores the calibration of every device that was ever installed.
type Registry interface {
	Calibration(ctx context.Context, device string) (Calibration, error)
}

// Reading is a converted measurement.
type Reading struct {
	Device string
	Value  float64
	Unit   string
	At     time.Time
}

type device struct {
	id string

	mu       sync.Mutex
	cal      Calibration
	lastSeen time.Time
}

func (d *device) calibrate(c Calibration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cal = c
}

func (d *device) convert(raw int64, at time.Time) Reading {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lastSeen = at
	return Reading{
		Device: d.id,
		Value:  float64(raw)*d.cal.Scale + d.cal.Offset,
		Unit:   d.cal.Unit,
		At:     at,
	}
}

// Gateway knows the connected devices.
type Gateway struct {
	reg  Registry
	sink func(Reading)

	mu      sync.RWMutex
	devices map[string]*device
}

// New returns a gateway which sends readings to sink.
func New(reg Registry, sink func(Reading)) *Gateway {
	return &Gateway{reg: reg, sink: sink, devices: make(map[string]*device)}
}

func (g *Gateway) add(d *device) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.devices[d.id]; ok {
		return ErrConnected
	}
	g.devices[d.id] = d
	return nil
}

func (g *Gateway) remove(d *device) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.devices[d.id] == d {
		delete(g.devices, d.id)
	}
}

func (g *Gateway) get(id string) *device {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.devices[id]
}

// Connect is called when a device announces itself on the bus. The driver calls
// Connect and Disconnect of a device one after the other; frames come from a
// pool of receivers.
func (g *Gateway) Connect(ctx context.Context, id string) error {
	d := &device{id: id}
	if err := g.add(d); err != nil {
		return err
	}
	cal, err := g.reg.Calibration(ctx, id)
	if err != nil {
		g.remove(d)
		return fmt.Errorf("gateway: connect %s: %w", id, err)
	}
	d.calibrate(cal)
	return nil
}

// Disconnect is called when a device leaves the bus.
func (g *Gateway) Disconnect(id string) {
	if d := g.get(id); d != nil {
		g.remove(d)
	}
}

// Ingest handles a raw frame from the bus. Frames of devices which are not
// connected are refused, the bus repeats them.
func (g *Gateway) Ingest(id string, raw int64, at time.Time) error {
	d := g.get(id)
	if d == nil {
		return ErrUnknown
	}
	g.sink(d.convert(raw, at))
	return nil
}

// Silent lists the connected devices that have sent nothing since cutoff.
func (g *Gateway) Silent(cutoff time.Time) []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []string
	for id, d := range g.devices {
		d.mu.Lock()
		if d.lastSeen.Before(cutoff) {
			out = append(out, id)
		}
		d.mu.Unlock()
	}
	return out
}
