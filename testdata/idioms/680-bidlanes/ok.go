// Package bidding takes bids that are backed by deposited credit.
package bidding

import (
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
)

var (
	ErrTooLow = errors.New("bidding: bid too low")
	ErrCredit = errors.New("bidding: not enough credit")
	ErrOver   = errors.New("bidding: lot is over")
)

// Standing is the state of a lot.
type Standing struct {
	Leader string
	Amount int64
	Bids   int
	Over   bool
}

// board stores standings by value.
type board struct {
	mu   sync.RWMutex
	lots map[string]Standing
}

func (b *board) get(lot string) Standing {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.lots[lot]
}

func (b *board) set(lot string, s Standing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lots[lot] = s
}

// purse stores the free credit of bidders.
type purse struct {
	mu   sync.Mutex
	free map[string]int64
}

func (p *purse) add(who string, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free[who] += n
}

func (p *purse) reserve(who string, n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free[who] < n {
		return false
	}
	p.free[who] -= n
	return true
}

func (p *purse) balance(who string) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.free[who]
}

const lanes = 32

// Desk takes bids.
type Desk struct {
	step  int64
	lanes [lanes]sync.Mutex
	lots  board
	purse purse
}

// NewDesk returns a desk where bids rise by at least step.
func NewDesk(step int64) *Desk {
	return &Desk{
		step:  step,
		lots:  board{lots: make(map[string]Standing)},
		purse: purse{free: make(map[string]int64)},
	}
}

func (d *Desk) lane(lot string) *sync.Mutex {
	h := fnv.New32a()
	_, _ = h.Write([]byte(lot))
	return &d.lanes[h.Sum32()%lanes]
}

// Deposit adds credit.
func (d *Desk) Deposit(who string, n int64) { d.purse.add(who, n) }

// Credit returns the free credit of a bidder.
func (d *Desk) Credit(who string) int64 { return d.purse.balance(who) }

// Standing returns the present state of a lot.
func (d *Desk) Standing(lot string) Standing { return d.lots.get(lot) }

// Bid places a bid. The credit of the bidder who led before is set free.
func (d *Desk) Bid(lot, who string, amount int64) error {
	l := d.lane(lot)
	l.Lock()
	defer l.Unlock()
	s, err := d.admissible(lot, amount)
	if err != nil {
		return err
	}
	if !d.purse.reserve(who, amount) {
		return fmt.Errorf("%w: %s has %d", ErrCredit, who, d.purse.balance(who))
	}
	if s.Leader != "" {
		d.purse.add(s.Leader, s.Amount)
	}
	d.lots.set(lot, Standing{Leader: who, Amount: amount, Bids: s.Bids + 1})
	return nil
}

func (d *Desk) admissible(lot string, amount int64) (Standing, error) {
	s := d.lots.get(lot)
	if s.Over {
		return s, fmt.Errorf("%w: %s", ErrOver, lot)
	}
	if amount < s.Amount+d.step {
		return s, fmt.Errorf("%w: %s stands at %d", ErrTooLow, lot, s.Amount)
	}
	return s, nil
}

// End closes a lot and returns how it stands; the leader's credit is spent.
func (d *Desk) End(lot string) (Standing, error) {
	l := d.lane(lot)
	l.Lock()
	defer l.Unlock()
	s := d.lots.get(lot)
	if s.Over {
		return s, fmt.Errorf("%w: %s", ErrOver, lot)
	}
	s.Over = true
	d.lots.set(lot, s)
	return s, nil
}
