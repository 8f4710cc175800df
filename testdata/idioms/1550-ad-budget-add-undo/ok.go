package a

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// day is the budget of one campaign for one day, in micros.
type day struct {
	name  string
	limit int64
	spent atomic.Int64
	shown atomic.Int64
}

// reserve sets money aside for one impression.
func (d *day) reserve(cost int64) bool {
	if d.spent.Load()+cost > d.limit {
		return false
	}
	if d.spent.Add(cost) > d.limit {
		d.spent.Add(-cost)
		return false
	}
	return true
}

// Campaign paces the spending of an advertiser.
type Campaign struct {
	id    string
	limit int64
	today atomic.Pointer[day]
}

func NewCampaign(id string, limit int64, now time.Time) *Campaign {
	c := &Campaign{id: id, limit: limit}
	c.today.Store(&day{name: now.Format(time.DateOnly), limit: limit})
	return c
}

// Hold is money set aside until the auction is decided.
type Hold struct {
	day  *day
	cost int64
}

// Bid takes part in an auction with at most cost.
func (c *Campaign) Bid(cost int64) (Hold, bool) {
	if cost <= 0 {
		return Hold{}, false
	}
	d := c.today.Load()
	if !d.reserve(cost) {
		return Hold{}, false
	}
	return Hold{day: d, cost: cost}, true
}

// Won settles the hold with the clearing price.
func (h Hold) Won(price int64) {
	if price < h.cost {
		h.day.spent.Add(price - h.cost)
	}
	h.day.shown.Add(1)
}

// Lost gives the money back.
func (h Hold) Lost() { h.day.spent.Add(-h.cost) }

// Roll starts a new day at midnight. Auctions under way still count for the
// day they began.
func (c *Campaign) Roll(ctx context.Context, ticks <-chan time.Time) {
	for {
		select {
		case now := <-ticks:
			name := now.Format(time.DateOnly)
			if c.today.Load().name != name {
				c.today.Store(&day{name: name, limit: c.limit})
			}
		case <-ctx.Done():
			return
		}
	}
}

// Exchange runs the auction.
type Exchange interface {
	Auction(ctx context.Context, campaign string, max int64) (price int64, won bool)
}

// Handler serves one ad slot.
func (c *Campaign) Handler(x Exchange, bid int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		hold, ok := c.Bid(bid)
		if !ok {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		price, won := x.Auction(r.Context(), c.id, bid)
		if !won {
			hold.Lost()
			w.WriteHeader(http.StatusNoContent)
			return
		}
		hold.Won(price)
		fmt.Fprintf(w, "<!-- %s -->\n", c.id)
	}
}

func (c *Campaign) HandleReport(w http.ResponseWriter, _ *http.Request) {
	d := c.today.Load()
	fmt.Fprintf(w, "%s: shown %d, spent about %d of %d\n", d.name, d.shown.Load(), d.spent.Load(), d.limit)
}
