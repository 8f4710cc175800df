// Package raffle draws winners, with a chance in proportion to their tickets.
package raffle

import (
	"math/rand/v2"
	"slices"
	"sync"
)

type entry struct {
	name    string
	tickets int
}

// Raffle is a raffle in progress; its functions may be called from anywhere.
type Raffle struct {
	Enter    func(name string, tickets int)
	Withdraw func(name string) bool
	Tickets  func() int
	Draw     func() (winner string, ok bool)
}

// New starts a raffle.
func New() *Raffle {
	var (
		mu      sync.Mutex
		entries []entry
	)
	enter := func(name string, tickets int) {
		if tickets <= 0 {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		entries = append(entries, entry{name, tickets})
	}
	withdraw := func(name string) bool {
		mu.Lock()
		defer mu.Unlock()
		n := len(entries)
		entries = slices.DeleteFunc(entries, func(e entry) bool { return e.name == name })
		return len(entries) < n
	}
	total := func() (sum int) {
		for _, e := range entries {
			sum += e.tickets
		}
		return sum
	}
	holder := func(ticket int) (name string) {
		for _, e := range entries {
			if ticket < e.tickets {
				return e.name
			}
			ticket -= e.tickets
		}
		return ""
	}
	tickets := func() int {
		mu.Lock()
		defer mu.Unlock()
		return total()
	}
	draw := func() (string, bool) {
		mu.Lock()
		defer mu.Unlock()
		n := total()
		if n == 0 {
			return "", false
		}
		return holder(rand.IntN(n)), true
	}
	return &Raffle{Enter: enter, Withdraw: withdraw, Tickets: tickets, Draw: draw}
}
