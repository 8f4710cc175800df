package holds

import (
	"sync"
	"time"
)

type Seat struct {
	Row string
	No  int
}

type hold struct {
	customer string
	timer    *time.Timer
}

// Hall reserves seats for a short time until they are paid for.
type Hall struct {
	mu   sync.Mutex
	held map[Seat]*hold
	sold map[Seat]string
}

func NewHall() *Hall {
	return &Hall{held: make(map[Seat]*hold), sold: make(map[Seat]string)}
}

func (h *Hall) expire(s Seat, own *hold) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held[s] == own {
		delete(h.held, s)
	}
}

func (h *Hall) enterLocked(s Seat, own *hold) bool {
	_, taken := h.sold[s]
	if !taken {
		_, taken = h.held[s]
	}
	if taken {
		return false
	}
	h.held[s] = own
	return true
}

// Hold reserves the seat for ttl.
func (h *Hall) Hold(s Seat, customer string, ttl time.Duration) bool {
	own := &hold{customer: customer}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.enterLocked(s, own) {
		return false
	}
	own.timer = time.AfterFunc(ttl, func() { h.expire(s, own) })
	return true
}

// Pay turns the customer's hold into a sale.
func (h *Hall) Pay(s Seat, customer string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	own, ok := h.held[s]
	if !ok || own.customer != customer {
		return false
	}
	own.timer.Stop()
	delete(h.held, s)
	h.sold[s] = customer
	return true
}

func (h *Hall) Free(s Seat) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held[s] == nil && h.sold[s] == ""
}
