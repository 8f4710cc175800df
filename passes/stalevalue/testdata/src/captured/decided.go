package captured

import (
	"errors"
	"sync"
)

// A Hall decides in one function literal and acts in another; the decision is a variable of both.
type Hall struct {
	mu    sync.Mutex
	taken map[int]string
}

func (h *Hall) locked(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}

var errTaken = errors.New("taken")

func (h *Hall) Book(n int, buyer string) error {
	free := true
	h.locked(func() {
		if _, sold := h.taken[n]; sold {
			free = false
		}
	})
	if !free {
		return errTaken
	}
	h.locked(func() {
		h.taken[n] = buyer // want `check-then-act: h\.taken\[n\] was checked at line \d+, but h\.mu was released when locked returned`
	})
	return nil
}

// BookAtOnce does both in one section.
func (h *Hall) BookAtOnce(n int, buyer string) (err error) {
	h.locked(func() {
		if _, sold := h.taken[n]; sold {
			err = errTaken
			return
		}
		h.taken[n] = buyer
	})
	return err
}

func (h *Hall) Cancel(n int) {
	h.locked(func() { delete(h.taken, n) })
}
