// Package a charges vehicles at a toll plaza.
package a

import (
	"errors"
	"maps"
	"sync"
	"sync/atomic"
)

var (
	ErrClass  = errors.New("toll: unknown vehicle class")
	ErrTariff = errors.New("toll: invalid tariff")
)

// tariff is one edition of the price list. An edition is not changed once
// it is in force.
type tariff struct {
	edition  int
	currency string
	cents    map[string]int64 // per vehicle class
}

// Plaza charges by the edition in force. Lanes read it without a lock.
type Plaza struct {
	edit  sync.Mutex // held by the office while it makes a new edition
	force atomic.Pointer[tariff]
}

// NewPlaza returns a plaza with an empty price list.
func NewPlaza(currency string) *Plaza {
	p := &Plaza{}
	p.force.Store(&tariff{currency: currency, cents: map[string]int64{}})
	return p
}

// SetPrice changes the price of one vehicle class.
func (p *Plaza) SetPrice(class string, cents int64) error {
	if class == "" || cents < 0 {
		return ErrTariff
	}
	p.edit.Lock()
	defer p.edit.Unlock()
	next := p.draft()
	next.cents[class] = cents
	p.force.Store(next)
	return nil
}

// Convert expresses all prices in another currency; rate is in thousandths.
func (p *Plaza) Convert(currency string, rate int64) error {
	if currency == "" || rate <= 0 {
		return ErrTariff
	}
	p.edit.Lock()
	defer p.edit.Unlock()
	if p.force.Load().currency == currency {
		return nil
	}
	next := p.draft()
	next.currency = currency
	for class, c := range next.cents {
		next.cents[class] = (c*rate + 500) / 1000
	}
	p.force.Store(next)
	return nil
}

// draft copies the edition in force. The caller holds p.edit.
func (p *Plaza) draft() *tariff {
	old := p.force.Load()
	return &tariff{
		edition:  old.edition + 1,
		currency: old.currency,
		cents:    maps.Clone(old.cents),
	}
}

// Charge is what one vehicle pays.
type Charge struct {
	Cents    int64
	Currency string
	Edition  int
}

// Pass charges a vehicle of the given class.
func (p *Plaza) Pass(class string) (Charge, error) {
	t := p.force.Load()
	c, ok := t.cents[class]
	if !ok {
		return Charge{}, ErrClass
	}
	return Charge{Cents: c, Currency: t.currency, Edition: t.edition}, nil
}

// Edition returns the number of the edition in force.
func (p *Plaza) Edition() int {
	return p.force.Load().edition
}
