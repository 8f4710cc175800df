package a

import (
	"sync"
	"sync/atomic"
	"time"
)

const day = 24 * time.Hour

type Campaign struct {
	ID     string
	Start  time.Time
	Length time.Duration
	Budget int64 // micros for the whole flight

	spent  atomic.Int64
	served atomic.Int64
	denied atomic.Int64
}

func NewCampaign(id string, budget int64, start time.Time, days int) *Campaign {
	return &Campaign{ID: id, Budget: budget, Start: start, Length: time.Duration(days) * day}
}

func (c *Campaign) Remaining() int64 {
	return c.Budget - c.spent.Load()
}

func (c *Campaign) allowance(now time.Time) int64 {
	gone := now.Sub(c.Start)
	switch {
	case gone <= 0:
		return 0
	case gone >= c.Length:
		return c.Budget
	}
	return int64(float64(c.Budget) * float64(gone) / float64(c.Length))
}

// Charge books the price of an impression if the pace allows it.
func (c *Campaign) Charge(now time.Time, price int64) bool {
	limit := c.allowance(now)
	if c.spent.Load()+price > limit {
		c.denied.Add(1)
		return false
	}
	c.spent.Add(price)
	c.served.Add(1)
	return true
}

type Pacer struct {
	mu        sync.RWMutex
	campaigns map[string]*Campaign
}

func NewPacer() *Pacer {
	return &Pacer{campaigns: make(map[string]*Campaign)}
}

func (p *Pacer) Add(c *Campaign) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.campaigns[c.ID] = c
}

func (p *Pacer) Bid(id string, price int64) bool {
	p.mu.RLock()
	c, ok := p.campaigns[id]
	p.mu.RUnlock()
	if !ok {
		return false
	}
	return c.Charge(time.Now(), price)
}

func (p *Pacer) Open() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	n := 0
	for _, c := range p.campaigns {
		if c.Remaining() > 0 {
			n++
		}
	}
	return n
}
