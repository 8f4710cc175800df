// Package ok serves map tiles from files that are mapped on demand.
package ok

import (
	"errors"
	"sync"
	"time"
)

var ErrNoTile = errors.New("tiles: no such tile")

// Sheet is an open file of tiles. Several tiles may be read at a time.
type Sheet interface {
	Tile(x, y int) ([]byte, error)
	Close() error
}

type slot struct {
	sheet Sheet
	refs  int
	hits  int
	last  time.Time
}

// Atlas keeps sheets open while they are in use and for some time after that.
type Atlas struct {
	open func(name string) (Sheet, error)

	mu    sync.Mutex
	slots map[string]*slot
}

func NewAtlas(open func(string) (Sheet, error)) *Atlas {
	return &Atlas{open: open, slots: make(map[string]*slot)}
}

// acquire returns the slot of a sheet with a reference for the caller.
func (a *Atlas) acquire(name string) (*slot, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, ok := a.slots[name]
	if !ok {
		sheet, err := a.open(name)
		if err != nil {
			return nil, err
		}
		s = &slot{sheet: sheet}
		a.slots[name] = s
	}
	s.refs++
	return s, nil
}

// touch notes a hit.
func (a *Atlas) touch(s *slot, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.hits++
	s.last = now
}

func (a *Atlas) release(s *slot) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.refs--
}

// Tile reads a tile.
func (a *Atlas) Tile(name string, x, y int) ([]byte, error) {
	s, err := a.acquire(name)
	if err != nil {
		return nil, err
	}
	defer a.release(s)
	b, err := s.sheet.Tile(x, y)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, ErrNoTile
	}
	a.touch(s, time.Now())
	return b, nil
}

// Trim closes the sheets that were not used since a time. Those in use have a
// reference and stay.
func (a *Atlas) Trim(since time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for name, s := range a.slots {
		if s.refs > 0 || s.last.After(since) {
			continue
		}
		delete(a.slots, name)
		errs = append(errs, s.sheet.Close())
	}
	return errors.Join(errs...)
}

// Hits counts the tiles read from the sheets that are open.
func (a *Atlas) Hits() map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make(map[string]int, len(a.slots))
	for name, s := range a.slots {
		out[name] = s.hits
	}
	return out
}
