// Package a keeps the rosters of the classes a gym offers.
package a

import (
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"
)

var (
	ErrFull     = errors.New("class is full")
	ErrEnrolled = errors.New("member is already enrolled")
	ErrUnknown  = errors.New("member is not enrolled")
)

// Class is one scheduled class with a limited number of mats.
type Class struct {
	title string
	start time.Time
	mats  int

	mu      sync.Mutex
	members map[string]time.Time
}

// NewClass returns an empty class.
func NewClass(title string, start time.Time, mats int) (*Class, error) {
	if mats <= 0 {
		return nil, fmt.Errorf("class %q: %d mats", title, mats)
	}
	return &Class{title: title, start: start, mats: mats, members: make(map[string]time.Time)}, nil
}

func (c *Class) locked(fn func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fn()
}

// SpotsLeft reports how many mats are still free.
func (c *Class) SpotsLeft() int {
	var n int
	c.locked(func() { n = c.mats - len(c.members) })
	return n
}

// Join enrols a member in the class.
func (c *Class) Join(member string) error {
	if member == "" {
		return errors.New("empty member id")
	}
	var err error
	c.locked(func() {
		if len(c.members) >= c.mats {
			err = fmt.Errorf("%s: %w", c.title, ErrFull)
			return
		}
		if _, dup := c.members[member]; dup {
			err = ErrEnrolled
			return
		}
		c.members[member] = time.Now()
	})
	return err
}

// Leave takes a member off the roster.
func (c *Class) Leave(member string) error {
	var err error
	c.locked(func() {
		if _, ok := c.members[member]; !ok {
			err = ErrUnknown
			return
		}
		delete(c.members, member)
	})
	return err
}

// Roster lists the members in alphabetical order.
func (c *Class) Roster() []string {
	var out []string
	c.locked(func() {
		for m := range c.members {
			out = append(out, m)
		}
	})
	sort.Strings(out)
	return out
}

// String describes the class for the front desk.
func (c *Class) String() string {
	return fmt.Sprintf("%s at %s", c.title, c.start.Format("15:04"))
}
