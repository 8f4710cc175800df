// Package a books the courts of a tennis club by the hour.
package a

import (
	"errors"
	"iter"
	"math/bits"
	"sync/atomic"
)

const (
	opens  = 7
	closes = 22
)

var (
	ErrTaken = errors.New("tennis: court is taken")
	ErrHours = errors.New("tennis: outside the opening hours")
)

// Court is one court on one day. Bit h of hours is set when the hour that
// begins at h o'clock is booked.
type Court struct {
	name  string
	hours atomic.Uint32
}

// Club holds the courts of a day; the list does not change.
type Club struct {
	courts []*Court
}

// NewClub opens the booking for the named courts.
func NewClub(names ...string) *Club {
	c := &Club{}
	for _, n := range names {
		c.courts = append(c.courts, &Court{name: n})
	}
	return c
}

func span(from, n int) (uint32, error) {
	if n <= 0 || from < opens || from+n > closes {
		return 0, ErrHours
	}
	return (1<<n - 1) << from, nil
}

// Book reserves n hours from the given hour on.
func (c *Court) Book(from, n int) error {
	mask, err := span(from, n)
	if err != nil {
		return err
	}
	for {
		booked := c.hours.Load()
		if booked&mask != 0 {
			return ErrTaken
		}
		if c.hours.CompareAndSwap(booked, booked|mask) {
			return nil
		}
	}
}

// Cancel gives hours back and returns how many of them were booked.
func (c *Court) Cancel(from, n int) (int, error) {
	mask, err := span(from, n)
	if err != nil {
		return 0, err
	}
	before := c.hours.And(^mask)
	return bits.OnesCount32(before & mask), nil
}

// Free yields the hours that can be booked.
func (c *Court) Free() iter.Seq[int] {
	booked := c.hours.Load()
	return func(yield func(int) bool) {
		for h := opens; h < closes; h++ {
			if booked&(1<<h) == 0 && !yield(h) {
				return
			}
		}
	}
}

// BookAny reserves the first court that is free at that time.
func (c *Club) BookAny(from, n int) (string, error) {
	for _, court := range c.courts {
		err := court.Book(from, n)
		if err == nil {
			return court.name, nil
		}
		if !errors.Is(err, ErrTaken) {
			return "", err
		}
	}
	return "", ErrTaken
}
