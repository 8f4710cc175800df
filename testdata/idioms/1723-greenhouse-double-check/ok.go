// Package a computes the heating curves of a greenhouse.
package a

import (
	"errors"
	"sync"
)

var (
	ErrCrop = errors.New("climate: unknown crop")
	ErrBand = errors.New("climate: lower bound is not below the upper one")
)

// Band is the temperature band of a crop in degrees.
type Band struct {
	Low, High float64
}

// Curve is the set point for each hour of the day. It is not changed after
// it was made.
type Curve [24]float64

func newCurve(b Band) *Curve {
	c := &Curve{}
	for h := range c {
		// Warmest at two in the afternoon.
		d := max(h-14, 14-h)
		c[h] = b.High - (b.High-b.Low)*float64(min(d, 12))/12
	}
	return c
}

// Climate holds the band of each crop and the curves made from the bands.
type Climate struct {
	mu     sync.RWMutex
	bands  map[string]Band
	curves map[string]*Curve
}

// NewClimate returns a climate without crops.
func NewClimate() *Climate {
	return &Climate{
		bands:  make(map[string]Band),
		curves: make(map[string]*Curve),
	}
}

// SetBand changes the band of a crop; the curve is made again when it is
// asked for.
func (c *Climate) SetBand(crop string, b Band) error {
	if b.Low >= b.High {
		return ErrBand
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bands[crop] = b
	delete(c.curves, crop)
	return nil
}

// Curve returns the curve of a crop.
func (c *Climate) Curve(crop string) (*Curve, error) {
	if cv := c.cached(crop); cv != nil {
		return cv, nil
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if cv := c.curves[crop]; cv != nil {
		return cv, nil
	}
	b, ok := c.bands[crop]
	if !ok {
		return nil, ErrCrop
	}
	cv := newCurve(b)
	c.curves[crop] = cv
	return cv, nil
}

func (c *Climate) cached(crop string) *Curve {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.curves[crop]
}

// SetPoint returns the set point of a crop at an hour of the day.
func (c *Climate) SetPoint(crop string, hour int) (float64, error) {
	cv, err := c.Curve(crop)
	if err != nil {
		return 0, err
	}
	return cv[((hour%24)+24)%24], nil
}

// Remove forgets a crop.
func (c *Climate) Remove(crop string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.bands, crop)
	delete(c.curves, crop)
}
