// Package adbudget keeps account of what advertising campaigns spend.
package adbudget

import (
	"errors"
	"sync"
)

var (
	ErrUnknown   = errors.New("adbudget: unknown campaign")
	ErrExhausted = errors.New("adbudget: campaign is paused or has spent its budget")
	ErrExists    = errors.New("adbudget: campaign exists")
)

// Campaign is the account of one campaign, in cents.
type Campaign struct {
	Name   string
	Limit  int64
	Spent  int64
	Shown  int
	Paused bool
}

// Ledger has the accounts of all campaigns. It is safe for concurrent use.
type Ledger struct {
	mu        sync.RWMutex
	campaigns map[string]Campaign
}

func NewLedger() *Ledger {
	return &Ledger{campaigns: make(map[string]Campaign)}
}

// Open adds a campaign.
func (l *Ledger) Open(id string, c Campaign) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.campaigns[id]; ok {
		return ErrExists
	}
	l.campaigns[id] = c
	return nil
}

func (l *Ledger) lookup(id string) (Campaign, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	c, ok := l.campaigns[id]
	return c, ok
}

func (l *Ledger) store(id string, c Campaign) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.campaigns[id] = c
}

// Charge is called by the ad servers for each impression.
func (l *Ledger) Charge(id string, cents int64) error {
	c, ok := l.lookup(id)
	if !ok {
		return ErrUnknown
	}
	if c.Paused || c.Spent+cents > c.Limit {
		return ErrExhausted
	}
	c.Spent += cents
	c.Shown++
	l.store(id, c)
	return nil
}

// Pause stops a campaign until Resume.
func (l *Ledger) Pause(id string) error  { return l.setPaused(id, true) }
func (l *Ledger) Resume(id string) error { return l.setPaused(id, false) }

func (l *Ledger) setPaused(id string, paused bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, ok := l.campaigns[id]
	if !ok {
		return ErrUnknown
	}
	c.Paused = paused
	l.campaigns[id] = c
	return nil
}

// Remaining returns what a campaign may still spend.
func (l *Ledger) Remaining(id string) int64 {
	c, ok := l.lookup(id)
	if !ok {
		return 0
	}
	return c.Limit - c.Spent
}
