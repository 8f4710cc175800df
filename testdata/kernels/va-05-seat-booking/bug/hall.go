package booking

import (
	"fmt"
	"sync"
)

type Show string

type Hall struct {
	lk    *sync.Mutex
	taken map[Show]map[int]string
	sales int
}

func NewHall() *Hall {
	return &Hall{lk: new(sync.Mutex), taken: make(map[Show]map[int]string)}
}

func (h *Hall) withLock(f func()) {
	h.lk.Lock()
	defer h.lk.Unlock()
	f()
}

func (h *Hall) Open(s Show) {
	h.withLock(func() {
		if h.taken[s] == nil {
			h.taken[s] = make(map[int]string)
		}
	})
}

func (h *Hall) Book(s Show, buyer string, seats ...int) error {
	allFree := true
	h.withLock(func() {
		for _, n := range seats {
			if _, sold := h.taken[s][n]; sold {
				allFree = false
			}
		}
	})
	if !allFree {
		return fmt.Errorf("booking: %s: seats not available", s)
	}
	h.withLock(func() {
		plan, open := h.taken[s]
		if !open {
			plan = make(map[int]string)
			h.taken[s] = plan
		}
		for _, n := range seats {
			plan[n] = buyer
		}
		h.sales += len(seats)
	})
	return nil
}

func (h *Hall) Cancel(s Show, buyer string) (freed int) {
	h.withLock(func() {
		for n, who := range h.taken[s] {
			if who == buyer {
				delete(h.taken[s], n)
				freed++
			}
		}
		h.sales -= freed
	})
	return freed
}

func (h *Hall) Sales() (n int) {
	h.withLock(func() { n = h.sales })
	return n
}
