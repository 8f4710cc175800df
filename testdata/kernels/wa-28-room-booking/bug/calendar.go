package calendar

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Booking is a room taken from one time to another.
type Booking struct {
	Room, Who string
	From, To  time.Time
}

// TakenError names the booking that is in the way.
type TakenError struct{ By Booking }

func (e *TakenError) Error() string {
	return fmt.Sprintf("%s is taken by %s until %s", e.By.Room, e.By.Who, e.By.To.Format(time.Kitchen))
}

// Calendar holds bookings sorted by when they begin. No two of a room overlap.
type Calendar struct {
	mu   sync.RWMutex
	list []Booking
}

// overlapping needs c.mu.
func (c *Calendar) overlapping(b Booking) (hits []Booking) {
	for _, o := range c.list {
		if !o.From.Before(b.To) {
			break
		}
		if o.Room == b.Room && b.From.Before(o.To) {
			hits = append(hits, o)
		}
	}
	return hits
}

// Conflicts lists the bookings that are in the way of b.
func (c *Calendar) Conflicts(b Booking) []Booking {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.overlapping(b)
}

// Book enters b.
func (c *Calendar) Book(b Booking) error {
	if !b.From.Before(b.To) {
		return fmt.Errorf("calendar: booking ends before it begins")
	}
	if hits := c.Conflicts(b); len(hits) > 0 {
		return &TakenError{By: hits[0]}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	i, _ := slices.BinarySearchFunc(c.list, b.From, func(o Booking, t time.Time) int {
		return o.From.Compare(t)
	})
	c.list = slices.Insert(c.list, i, b)
	return nil
}

// ServeHTTP books what is posted as JSON.
func (c *Calendar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var b Booking
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := c.Book(b); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusCreated)
}
