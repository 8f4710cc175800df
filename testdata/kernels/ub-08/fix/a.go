package a

import (
	"errors"
	"fmt"
	"time"
)

// ErrNoPatient is returned for an unknown chip number.
var ErrNoPatient = errors.New("clinic: no such patient")

// Patient is the card of one animal.
type Patient struct {
	Chip     string
	Name     string
	Visits   int
	DueCents int64
	LastSeen time.Time
}

// Clinic keeps the cards of a veterinary practice. The desks and the web
// front end use it at the same time.
type Clinic struct {
	gate  chan struct{} // holds a token while the cards are in use
	cards map[string]Patient
	fee   int64
}

// NewClinic returns a clinic that charges fee cents for each visit.
func NewClinic(fee int64) *Clinic {
	return &Clinic{gate: make(chan struct{}, 1), cards: make(map[string]Patient), fee: fee}
}

func (c *Clinic) enter() { c.gate <- struct{}{} }
func (c *Clinic) exit()  { <-c.gate }

// Card returns the card with the given chip number.
func (c *Clinic) Card(chip string) (Patient, error) {
	c.enter()
	defer c.exit()
	p, ok := c.cards[chip]
	if !ok {
		return Patient{}, fmt.Errorf("%w: %s", ErrNoPatient, chip)
	}
	return p, nil
}

// Register adds a new card.
func (c *Clinic) Register(chip, name string) error {
	c.enter()
	defer c.exit()
	if _, ok := c.cards[chip]; ok {
		return fmt.Errorf("clinic: chip %s is registered", chip)
	}
	c.cards[chip] = Patient{Chip: chip, Name: name}
	return nil
}

// RecordVisit charges one visit and what was dispensed.
func (c *Clinic) RecordVisit(chip string, at time.Time, dispensed int64) error {
	if dispensed < 0 {
		return errors.New("clinic: negative amount")
	}
	c.enter()
	defer c.exit()
	p, ok := c.cards[chip]
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoPatient, chip)
	}
	p.Visits++
	p.DueCents += c.fee + dispensed
	if at.After(p.LastSeen) {
		p.LastSeen = at
	}
	c.cards[chip] = p
	return nil
}

// Pay books a payment and returns what is left to pay.
func (c *Clinic) Pay(chip string, cents int64) (int64, error) {
	c.enter()
	defer c.exit()
	p, ok := c.cards[chip]
	if !ok {
		return 0, fmt.Errorf("%w: %s", ErrNoPatient, chip)
	}
	p.DueCents -= cents
	c.cards[chip] = p
	return p.DueCents, nil
}
