package locks

import (
	"errors"
	"sync"
)

var errNoLot = errors.New("no such lot")

// A House has lots, each with a lock of its own, which a helper takes and returns how to release.
type House struct {
	hold func(amount int) error

	mu   sync.RWMutex
	lots map[string]*lot
}

type lot struct {
	mu     sync.Mutex
	closed bool
	high   int
}

func (h *House) Open(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lots[id] = new(lot)
}

func (h *House) acquire(id string) (*lot, func(), error) {
	h.mu.RLock()
	l, ok := h.lots[id]
	h.mu.RUnlock()
	if !ok {
		return nil, nil, errNoLot
	}
	l.mu.Lock()
	return l, l.mu.Unlock, nil
}

// Bid has released the lot in between.
func (h *House) Bid(id string, amount int) error {
	l, unlock, err := h.acquire(id)
	if err != nil {
		return err
	}
	low := l.closed || amount <= l.high
	unlock()
	if low {
		return errNoLot
	}
	if err := h.hold(amount); err != nil {
		return err
	}
	l, unlock, err = h.acquire(id)
	if err != nil {
		return err
	}
	defer unlock()
	l.high = amount // want `check-then-act: h\.lots\[…\]\.high was checked at line \d+`
	return nil
}

// BidHolding keeps the lot.
func (h *House) BidHolding(id string, amount int) error {
	l, unlock, err := h.acquire(id)
	if err != nil {
		return err
	}
	defer unlock()
	if l.closed || amount <= l.high {
		return errNoLot
	}
	if err := h.hold(amount); err != nil {
		return err
	}
	l.high = amount
	return nil
}

func (h *House) Close(id string) error {
	l, unlock, err := h.acquire(id)
	if err != nil {
		return err
	}
	l.closed = true
	unlock()
	return nil
}
