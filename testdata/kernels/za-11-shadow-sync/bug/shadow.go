// Package gateway connects field devices to the cloud. For each device it
// keeps a shadow: the last values the device reported.
package gateway

import (
	"context"
	"log"
	"maps"
	"sync"
	"time"
)

// Shadow is the last known state of a device. Readings arrive on the field
// bus goroutines while the syncer uploads.
type Shadow struct {
	Device string

	mu     sync.Mutex
	values map[string]float64
	dirty  bool // there are values the cloud has not seen
}

func newShadow(device string) *Shadow {
	return &Shadow{Device: device, values: make(map[string]float64)}
}

// Report takes over a reading of the device.
func (s *Shadow) Report(sensor string, value float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.values[sensor]; ok && old == value {
		return
	}
	s.values[sensor] = value
	s.dirty = true
}

// Value returns the last reading of a sensor.
func (s *Shadow) Value(sensor string) (float64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[sensor]
	return v, ok
}

// pending returns a copy of the values if the cloud has not seen them.
func (s *Shadow) pending() (map[string]float64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dirty {
		return nil, false
	}
	return maps.Clone(s.values), true
}

// settle marks the shadow as uploaded.
func (s *Shadow) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dirty = false
}

// Uplink is the connection to the cloud.
type Uplink interface {
	PutShadow(ctx context.Context, device string, values map[string]float64) error
}

// Gateway owns the shadows of all devices on the bus.
type Gateway struct {
	uplink Uplink

	mu      sync.Mutex
	shadows map[string]*Shadow
}

// New returns a gateway without devices.
func New(u Uplink) *Gateway {
	return &Gateway{uplink: u, shadows: make(map[string]*Shadow)}
}

// Shadow returns the shadow of device.
func (g *Gateway) Shadow(device string) *Shadow {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, ok := g.shadows[device]
	if !ok {
		s = newShadow(device)
		g.shadows[device] = s
	}
	return s
}

func (g *Gateway) all() []*Shadow {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]*Shadow, 0, len(g.shadows))
	for _, s := range g.shadows {
		out = append(out, s)
	}
	return out
}

// upload brings the cloud up to date with one shadow. After an error the
// shadow is uploaded again in the next round.
func (g *Gateway) upload(ctx context.Context, s *Shadow) error {
	values, ok := s.pending()
	if !ok {
		return nil
	}
	if err := g.uplink.PutShadow(ctx, s.Device, values); err != nil {
		return err
	}
	s.settle()
	return nil
}

// HandleBus feeds readings from one bus segment into the shadows.
func (g *Gateway) HandleBus(frames <-chan Frame) {
	for f := range frames {
		g.Shadow(f.Device).Report(f.Sensor, f.Value)
	}
}

// Frame is one reading on the bus.
type Frame struct {
	Device string
	Sensor string
	Value  float64
}

// Run serves the bus segments and uploads changed shadows every period, one
// after the other, until ctx ends.
func (g *Gateway) Run(ctx context.Context, period time.Duration, segments ...<-chan Frame) {
	for _, frames := range segments {
		go g.HandleBus(frames)
	}
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			for _, s := range g.all() {
				if err := g.upload(ctx, s); err != nil {
					log.Printf("gateway: shadow of %s: %v", s.Device, err)
				}
			}
		case <-ctx.Done():
			return
		}
	}
}
