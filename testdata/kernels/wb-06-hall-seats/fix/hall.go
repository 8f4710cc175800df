// Package hall sells the seats of a concert hall.
package hall

import (
	"errors"
	"sync"
)

// ErrSoldOut means that no row has enough seats side by side.
var ErrSoldOut = errors.New("hall: no such seats left")

type row struct {
	mu    sync.Mutex
	seats []string // who has the seat, "" if nobody has
}

// firstGap returns the first of n free seats side by side, or -1.
// r.mu is held.
func (r *row) firstGap(n int) int {
	run := 0
	for i, who := range r.seats {
		if who != "" {
			run = 0
			continue
		}
		if run++; run == n {
			return i - n + 1
		}
	}
	return -1
}

// fill needs r.mu, too.
func (r *row) fill(from, n int, who string) {
	for i := range n {
		r.seats[from+i] = who
	}
}

func (r *row) clear(who string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.seats {
		if r.seats[i] == who {
			r.seats[i] = ""
			n++
		}
	}
	return n
}

// Hall is a hall with numbered rows. Its methods may be called at any time
// from any booking office.
type Hall struct {
	rows []*row
}

// New returns an empty hall.
func New(rows, width int) *Hall {
	h := &Hall{}
	for range rows {
		h.rows = append(h.rows, &row{seats: make([]string, width)})
	}
	return h
}

// Book sells n seats side by side, as near to the stage as possible.
func (h *Hall) Book(who string, n int) (rowNo, seat int, err error) {
	if who == "" || n <= 0 {
		return 0, 0, errors.New("hall: bad order")
	}
	for i, r := range h.rows {
		r.mu.Lock()
		at := r.firstGap(n)
		if at >= 0 {
			r.fill(at, n, who)
		}
		r.mu.Unlock()
		if at >= 0 {
			return i, at, nil
		}
	}
	return 0, 0, ErrSoldOut
}

// Cancel gives all seats of a visitor back.
func (h *Hall) Cancel(who string) int {
	n := 0
	if who == "" {
		return n
	}
	for _, r := range h.rows {
		n += r.clear(who)
	}
	return n
}
