// Package a drives heating and vents of a greenhouse.
package a

import (
	"errors"
	"sync"
)

var ErrBand = errors.New("climate: lower bound is not below the upper one")

// SetPoints is the temperature band of a house. The lower bound is always
// below the upper one.
type SetPoints struct {
	mu   sync.RWMutex
	low  float64
	high float64
}

// NewSetPoints returns a band.
func NewSetPoints(low, high float64) (*SetPoints, error) {
	s := &SetPoints{}
	return s, s.Shift(low, high)
}

// Low returns the lower bound in degrees.
func (s *SetPoints) Low() float64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.low
}

// High returns the upper bound in degrees.
func (s *SetPoints) High() float64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.high
}

// Band returns both bounds for the display.
func (s *SetPoints) Band() (low, high float64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.low, s.high
}

// Shift replaces the band, for instance at nightfall.
func (s *SetPoints) Shift(low, high float64) error {
	if low >= high {
		return ErrBand
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.low = low
	s.high = high
	return nil
}

// Valve takes a setting from -1 (vents open) to 1 (full heating).
type Valve interface {
	Set(float64) error
}

// Controller moves the valve of one house.
type Controller struct {
	points *SetPoints
	valve  Valve
	gain   float64
}

// NewController returns a controller for a house.
func NewController(p *SetPoints, v Valve, gain float64) *Controller {
	return &Controller{points: p, valve: v, gain: gain}
}

// Tick is called once a second with the measured temperature. The narrower
// the band, the harder the valve reacts.
func (c *Controller) Tick(temp float64) error {
	low := c.points.Low()
	high := c.points.High()
	middle := (low + high) / 2
	setting := c.gain * (middle - temp) / (high - low)
	return c.valve.Set(clamp(setting))
}

// Rest puts the valve into the middle position.
func (c *Controller) Rest() error {
	return c.valve.Set(0)
}

func clamp(x float64) float64 {
	return max(-1, min(1, x))
}
