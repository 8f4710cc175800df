package a

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrNoLot  = errors.New("auction: no such lot")
	ErrClosed = errors.New("auction: lot is closed")
	ErrTooLow = errors.New("auction: bid too low")
)

// Guarantor blocks money of a bidder.
type Guarantor interface {
	Hold(bidder string, amount int64) error
	Free(bidder string, amount int64)
}

type lot struct {
	mu     sync.Mutex
	closed bool
	high   int64
	leader string
	bids   int
	last   time.Time
}

// House runs the lots of one evening.
type House struct {
	step  int64
	bank  Guarantor
	mu    sync.RWMutex
	lots  map[string]*lot
	total int
}

func NewHouse(step int64, bank Guarantor) *House {
	return &House{step: step, bank: bank, lots: make(map[string]*lot)}
}

// Open puts a lot up.
func (h *House) Open(id string, start int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.lots[id]; ok {
		return
	}
	h.lots[id] = &lot{high: start}
	h.total++
}

func (h *House) acquire(id string) (*lot, func(), error) {
	h.mu.RLock()
	l, ok := h.lots[id]
	h.mu.RUnlock()
	if !ok {
		return nil, nil, ErrNoLot
	}
	l.mu.Lock()
	return l, l.mu.Unlock, nil
}

func (h *House) acceptable(l *lot, amount int64) error {
	if l.closed {
		return ErrClosed
	}
	if amount < l.high+h.step {
		return ErrTooLow
	}
	return nil
}

// Bid places a bid on a lot.
func (h *House) Bid(id, bidder string, amount int64) error {
	l, unlock, err := h.acquire(id)
	if err != nil {
		return err
	}
	err = h.acceptable(l, amount)
	unlock()
	if err != nil {
		return err
	}
	if err := h.bank.Hold(bidder, amount); err != nil {
		return err
	}

	l, unlock, err = h.acquire(id)
	if err != nil {
		h.bank.Free(bidder, amount)
		return err
	}
	defer unlock()
	if err := h.acceptable(l, amount); err != nil {
		h.bank.Free(bidder, amount)
		return err
	}
	if l.leader != "" {
		h.bank.Free(l.leader, l.high)
	}
	l.high, l.leader = amount, bidder
	l.bids++
	l.last = time.Now()
	return nil
}

// Close ends a lot and tells the winner.
func (h *House) Close(id string) (string, int64, error) {
	l, unlock, err := h.acquire(id)
	if err != nil {
		return "", 0, err
	}
	defer unlock()
	l.closed = true
	return l.leader, l.high, nil
}
