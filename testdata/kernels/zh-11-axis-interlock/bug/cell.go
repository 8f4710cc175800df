// Package cell runs the drives of a robot cell and its safety interlocks.
package cell

import (
	"errors"
	"fmt"
	"log"
	"sync"
)

// ErrInhibited is returned when an interlock forbids a start.
var ErrInhibited = errors.New("cell: start inhibited")

// Drive is the power stage of an axis.
type Drive interface {
	Energize() error
	Cut() error
}

// Permissive is a condition for the start of the drives in a zone.
type Permissive interface {
	Permits(zone string) bool
}

// doors counts the open guard doors of each zone.
type doors struct {
	mu   sync.RWMutex
	open map[string]int
}

func (d *doors) note(zone string, open bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if open {
		d.open[zone]++
	} else {
		d.open[zone] = max(0, d.open[zone]-1)
	}
}

// Permits implements Permissive.
func (d *doors) Permits(zone string) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.open[zone] == 0
}

// estop is latched by the button and released by a reset.
type estop struct {
	mu      sync.Mutex
	latched bool
}

func (e *estop) set(latched bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.latched = latched
}

// Permits implements Permissive.
func (e *estop) Permits(string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.latched
}

type axis struct {
	name  string
	zone  string
	drive Drive

	mu      sync.Mutex
	running bool
}

func (a *axis) start() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running {
		return nil
	}
	if err := a.drive.Energize(); err != nil {
		return fmt.Errorf("cell: axis %s: %w", a.name, err)
	}
	a.running = true
	return nil
}

func (a *axis) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.running {
		return
	}
	if err := a.drive.Cut(); err != nil {
		log.Printf("cell: axis %s: %v", a.name, err)
		return
	}
	a.running = false
}

// DoorEvent reports a guard door that has been opened or closed.
type DoorEvent struct {
	Zone string
	Open bool
}

// Cell is used by the operator panels and by the safety inputs at once.
type Cell struct {
	doors       *doors
	estop       *estop
	permissives []Permissive
	axes        map[string]*axis // fixed after the configuration
}

// New returns a cell without axes; extra permissives are asked at a start only.
func New(extra ...Permissive) *Cell {
	c := &Cell{doors: &doors{open: make(map[string]int)}, estop: &estop{}, axes: make(map[string]*axis)}
	c.permissives = append([]Permissive{c.doors, c.estop}, extra...)
	return c
}

// AddAxis configures an axis. It must not be called once the cell is in use.
func (c *Cell) AddAxis(name, zone string, d Drive) {
	c.axes[name] = &axis{name: name, zone: zone, drive: d}
}

func (c *Cell) permitted(zone string) bool {
	for _, p := range c.permissives {
		if !p.Permits(zone) {
			return false
		}
	}
	return true
}

// StartAxis energizes an axis if the interlocks of its zone permit it.
func (c *Cell) StartAxis(name string) error {
	a := c.axes[name]
	if a == nil {
		return fmt.Errorf("cell: no axis %q", name)
	}
	if !c.permitted(a.zone) {
		return ErrInhibited
	}
	return a.start()
}

// trip stops every running axis that is selected.
func (c *Cell) trip(sel func(*axis) bool) {
	for _, a := range c.axes {
		if sel(a) {
			a.stop()
		}
	}
}

// WatchDoors follows the door switches in the background until the channel is
// closed.
func (c *Cell) WatchDoors(events <-chan DoorEvent) {
	go func() {
		for ev := range events {
			c.doors.note(ev.Zone, ev.Open)
			if ev.Open {
				c.trip(func(a *axis) bool { return a.zone == ev.Zone })
			}
		}
	}()
}

// EmergencyStop latches the stop and cuts all drives.
func (c *Cell) EmergencyStop() {
	c.estop.set(true)
	c.trip(func(*axis) bool { return true })
}

// Reset releases the emergency stop; the axes stay off.
func (c *Cell) Reset() { c.estop.set(false) }
