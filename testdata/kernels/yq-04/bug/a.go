package a

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

var (
	ErrFull      = errors.New("gateway: no free slot")
	ErrConnected = errors.New("gateway: device is connected already")
	ErrUnknown   = errors.New("gateway: device is not connected")
)

// Reading is one sample of a device.
type Reading struct {
	At    time.Time
	Value float64
}

// Archive keeps the readings of each device.
type Archive interface {
	Write(serial string, rs []Reading) error
}

type slot struct {
	mu       sync.Mutex
	serial   string
	readings []Reading
}

func (s *slot) bind(serial string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial = serial
}

func (s *slot) reset() []Reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.readings
	s.serial, s.readings = "", nil
	return out
}

func (s *slot) cut() (string, []Reading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.readings
	s.readings = nil
	return s.serial, out
}

// Gateway has a fixed number of slots for connected devices.
type Gateway struct {
	archive Archive
	slots   []slot

	mu    sync.Mutex
	free  []*slot
	bound map[string]*slot
}

func New(a Archive, slots int) *Gateway {
	g := &Gateway{archive: a, slots: make([]slot, slots), bound: make(map[string]*slot)}
	for i := range g.slots {
		g.free = append(g.free, &g.slots[i])
	}
	return g
}

// Connect gives a slot to the device.
func (g *Gateway) Connect(serial string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.bound[serial]; ok {
		return ErrConnected
	}
	n := len(g.free)
	if n == 0 {
		return ErrFull
	}
	s := g.free[n-1]
	g.free = g.free[:n-1]
	s.bind(serial)
	g.bound[serial] = s
	return nil
}

func (g *Gateway) find(serial string) *slot {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.bound[serial]
}

// Report takes a reading of a connected device.
func (g *Gateway) Report(serial string, r Reading) error {
	s := g.find(serial)
	if s == nil {
		return ErrUnknown
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readings = append(s.readings, r)
	return nil
}

// Disconnect archives what the device has reported and frees its slot.
func (g *Gateway) Disconnect(serial string) error {
	g.mu.Lock()
	s, ok := g.bound[serial]
	delete(g.bound, serial)
	g.mu.Unlock()
	if !ok {
		return ErrUnknown
	}
	rest := s.reset()
	g.mu.Lock()
	g.free = append(g.free, s)
	g.mu.Unlock()
	if len(rest) == 0 {
		return nil
	}
	return g.archive.Write(serial, rest)
}

// Run archives the readings of all slots once per period.
func (g *Gateway) Run(ctx context.Context, period time.Duration) {
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		for i := range g.slots {
			serial, rs := g.slots[i].cut()
			if len(rs) == 0 {
				continue
			}
			if err := g.archive.Write(serial, rs); err != nil {
				log.Printf("gateway: %s: %d readings lost: %v", serial, len(rs), err)
			}
		}
	}
}
