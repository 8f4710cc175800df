package a

import (
	"errors"
	"sync"
)

var ErrOverLimit = errors.New("fuelcard: over the monthly limit")

type keyLock struct {
	mu   sync.Mutex
	refs int
}

type keyed struct {
	mu    sync.Mutex
	locks map[string]*keyLock
}

func (k *keyed) lock(key string) (unlock func()) {
	k.mu.Lock()
	l, ok := k.locks[key]
	if !ok {
		l = &keyLock{}
		k.locks[key] = l
	}
	l.refs++
	k.mu.Unlock()
	l.mu.Lock()
	return func() {
		k.mu.Lock()
		if l.refs--; l.refs == 0 {
			delete(k.locks, key)
		}
		k.mu.Unlock()
		l.mu.Unlock()
	}
}

// Desk authorises fuel cards of a haulage fleet.
type Desk struct {
	keys keyed

	mu     sync.RWMutex
	spent  map[string]int64
	limits map[string]int64
}

func NewDesk() *Desk {
	return &Desk{
		keys:   keyed{locks: make(map[string]*keyLock)},
		spent:  make(map[string]int64),
		limits: make(map[string]int64),
	}
}

func (d *Desk) spentOn(card string) (spent, limit int64) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.spent[card], d.limits[card]
}

func (d *Desk) setSpent(card string, v int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spent[card] = v
}

// SetLimit changes the monthly limit of a card.
func (d *Desk) SetLimit(card string, cents int64) {
	unlock := d.keys.lock(card)
	defer unlock()

	d.mu.Lock()
	defer d.mu.Unlock()
	d.limits[card] = cents
}

// Authorize books an amount on the card.
func (d *Desk) Authorize(card string, cents int64) error {
	unlock := d.keys.lock(card)
	defer unlock()

	spent, limit := d.spentOn(card)
	if spent+cents > limit {
		return ErrOverLimit
	}
	d.setSpent(card, spent+cents)
	return nil
}

// NewMonth starts the count of a card again.
func (d *Desk) NewMonth(card string) {
	unlock := d.keys.lock(card)
	defer unlock()
	d.setSpent(card, 0)
}

// Left tells how much can still be spent.
func (d *Desk) Left(card string) int64 {
	spent, limit := d.spentOn(card)
	return limit - spent
}
