// Package pacing spreads the day budget of a campaign over the day.
package pacing

import (
	"context"
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var ErrUnknownCampaign = errors.New("pacing: unknown campaign")

// Micros is money in millionths.
type Micros = int64

// slice is the spending window that bids are admitted against.
type slice struct {
	target atomic.Int64
	spent  atomic.Int64
	wins   atomic.Int64
}

func (s *slice) open() bool { return s.spent.Load() < s.target.Load() }

type campaign struct {
	id    string
	daily Micros
	cur   slice

	mu     sync.Mutex
	booked Micros // closed slices of today
}

func (c *campaign) book(m Micros) (left Micros) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.booked += m
	return max(c.daily-c.booked, 0)
}

func (c *campaign) newDay() {
	c.mu.Lock()
	c.booked = 0
	c.mu.Unlock()
}

// Ledger is the billing side.
type Ledger interface {
	Book(ctx context.Context, campaign string, amount Micros, wins int64) error
}

type Pacer struct {
	ledger Ledger
	every  time.Duration

	mu        sync.RWMutex
	campaigns map[string]*campaign
}

func New(l Ledger, every time.Duration) *Pacer {
	return &Pacer{ledger: l, every: every, campaigns: make(map[string]*campaign)}
}

func (p *Pacer) Add(id string, daily Micros) {
	c := &campaign{id: id, daily: daily}
	c.cur.target.Store(p.share(daily, time.Now()))
	p.mu.Lock()
	p.campaigns[id] = c
	p.mu.Unlock()
}

func (p *Pacer) get(id string) (*campaign, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	c := p.campaigns[id]
	if c == nil {
		return nil, ErrUnknownCampaign
	}
	return c, nil
}

func (p *Pacer) all() []*campaign {
	p.mu.RLock()
	defer p.mu.RUnlock()
	out := make([]*campaign, 0, len(p.campaigns))
	for _, c := range p.campaigns {
		out = append(out, c)
	}
	return out
}

// Bid tells whether the campaign takes part in an auction now. Auctions that are
// already running may exceed the slice a little; the next slices make up for it.
func (p *Pacer) Bid(id string) (bool, error) {
	c, err := p.get(id)
	if err != nil {
		return false, err
	}
	return c.cur.open(), nil
}

// Won is called from the auction feed, from many goroutines.
func (p *Pacer) Won(id string, price Micros) error {
	c, err := p.get(id)
	if err != nil {
		return err
	}
	c.cur.spent.Add(price)
	c.cur.wins.Add(1)
	return nil
}

// share is the part of left that belongs to the slice beginning now.
func (p *Pacer) share(left Micros, now time.Time) Micros {
	y, m, d := now.Date()
	end := time.Date(y, m, d+1, 0, 0, 0, 0, now.Location())
	n := int64(end.Sub(now)/p.every) + 1
	return left / n
}

// roll closes the slice of c and opens the next one.
func (p *Pacer) roll(ctx context.Context, c *campaign, now time.Time) {
	spent := c.cur.spent.Load()
	wins := c.cur.wins.Swap(0)
	left := c.book(spent)
	c.cur.target.Store(p.share(left, now))
	if spent > 0 {
		if err := p.ledger.Book(ctx, c.id, spent, wins); err != nil {
			log.Printf("pacing: booking %d for %s: %v", spent, c.id, err)
		}
	}
	c.cur.spent.Store(0)
}

// Run rolls all campaigns until ctx is done.
func (p *Pacer) Run(ctx context.Context) {
	t := time.NewTicker(p.every)
	defer t.Stop()
	day := time.Now().YearDay()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			for _, c := range p.all() {
				if now.YearDay() != day {
					c.newDay()
				}
				p.roll(ctx, c, now)
			}
			day = now.YearDay()
		}
	}
}
