package household

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrOverdrawn = errors.New("household: would be overdrawn")
	ErrAmount    = errors.New("household: amount must be positive")
)

// Pot is one of the accounts of a household.
type Pot int

const (
	Checking Pot = iota
	Savings
	Travel
	pots
)

func (p Pot) String() string {
	switch p {
	case Checking:
		return "checking"
	case Savings:
		return "savings"
	default:
		return "travel"
	}
}

// Household may overdraw single pots, but the pots together never fall below
// zero: the bank does not lend.
type Household struct {
	paying  sync.Mutex // held by Pay
	balance [pots]atomic.Int64
	lastTx  atomic.Uint64
}

// PayIn adds to one pot.
func (h *Household) PayIn(to Pot, cents int64) error {
	if cents <= 0 {
		return ErrAmount
	}
	h.balance[to].Add(cents)
	return nil
}

// worth is what the pots hold together.
func (h *Household) worth() (sum int64) {
	for i := range h.balance {
		sum += h.balance[i].Load()
	}
	return sum
}

// Pay takes cents out of one pot, as long as the others cover it, and returns
// the number of the transaction.
func (h *Household) Pay(from Pot, cents int64) (tx uint64, err error) {
	if cents <= 0 {
		return 0, ErrAmount
	}
	h.paying.Lock()
	defer h.paying.Unlock()
	if h.worth() < cents {
		return 0, ErrOverdrawn
	}
	h.balance[from].Add(-cents)
	return h.lastTx.Add(1), nil
}
