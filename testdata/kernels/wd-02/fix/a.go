// Package a charges vehicles at a toll plaza.
package a

import (
	"errors"
	"sync"
	"time"
)

var ErrTariff = errors.New("toll: invalid tariff")

// Charge is one line of the clearing file.
type Charge struct {
	Plate    string
	Currency string
	Cents    int64
	At       time.Time
}

// Plaza holds the tariff that is in force. The amount is in the currency
// of the plaza.
type Plaza struct {
	steps map[string]int64 // smallest coin per currency, set at construction

	mu       sync.RWMutex
	currency string
	cents    int64

	logMu   sync.Mutex
	charges []Charge
}

// NewPlaza returns a plaza with its opening tariff.
func NewPlaza(steps map[string]int64, currency string, cents int64) (*Plaza, error) {
	if steps[currency] <= 0 || cents <= 0 {
		return nil, ErrTariff
	}
	return &Plaza{steps: steps, currency: currency, cents: cents}, nil
}

// CoinStep returns the smallest coin that the machines accept at present.
func (p *Plaza) CoinStep() int64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.steps[p.currency]
}

// Switch puts a tariff in another currency into force. The amount is
// rounded up to the smallest coin of that currency.
func (p *Plaza) Switch(currency string, cents int64) error {
	if p.steps[currency] <= 0 || cents <= 0 {
		return ErrTariff
	}

	step := p.steps[currency]
	if r := cents % step; r != 0 {
		cents += step - r
	}

	p.mu.Lock()
	p.currency = currency
	p.cents = cents
	p.mu.Unlock()
	return nil
}

// Pass charges a vehicle.
func (p *Plaza) Pass(plate string, at time.Time) Charge {
	p.mu.RLock()
	c := Charge{Plate: plate, Currency: p.currency, Cents: p.cents, At: at}
	p.mu.RUnlock()

	p.logMu.Lock()
	p.charges = append(p.charges, c)
	p.logMu.Unlock()
	return c
}

// Totals sums the charges per currency.
func (p *Plaza) Totals() map[string]int64 {
	p.logMu.Lock()
	defer p.logMu.Unlock()
	sum := make(map[string]int64)
	for _, c := range p.charges {
		sum[c.Currency] += c.Cents
	}
	return sum
}
