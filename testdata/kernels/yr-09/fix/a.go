// Package cart keeps the shopping carts of a web shop in memory and moves
// abandoned ones to an archive for the statistics of the sales department.
package cart

import (
	"context"
	"encoding/json"
	"log"
	"maps"
	"net/http"
	"sync"
	"time"
)

// Cart is the content of one customer's cart.
type Cart struct {
	Customer string
	Lines    map[string]int // SKU -> quantity
	touched  time.Time
}

// Archive stores abandoned carts; storing the same customer again overwrites.
type Archive interface {
	Store(ctx context.Context, c Cart) error
}

// Carts is used by every request handler and by the sweeper.
type Carts struct {
	archive Archive
	idle    time.Duration

	sync.Mutex
	open map[string]*Cart
}

func NewCarts(archive Archive, idle time.Duration) *Carts {
	return &Carts{archive: archive, idle: idle, open: make(map[string]*Cart)}
}

// Add puts quantity pieces of an article into the customer's cart.
func (c *Carts) Add(customer, sku string, quantity int) {
	c.Lock()
	defer c.Unlock()
	cur := c.open[customer]
	if cur == nil {
		cur = &Cart{Customer: customer, Lines: make(map[string]int)}
		c.open[customer] = cur
	}
	cur.Lines[sku] += quantity
	cur.touched = time.Now()
}

// Lines returns a copy of the customer's cart.
func (c *Carts) Lines(customer string) map[string]int {
	c.Lock()
	defer c.Unlock()
	cur := c.open[customer]
	if cur == nil {
		return nil
	}
	return maps.Clone(cur.Lines)
}

// GetLines handles GET /cart/{customer}.
func (c *Carts) GetLines(w http.ResponseWriter, r *http.Request) {
	_ = json.NewEncoder(w).Encode(c.Lines(r.PathValue("customer")))
}

// PostLine handles POST /cart/{customer}.
func (c *Carts) PostLine(w http.ResponseWriter, r *http.Request) {
	var line struct {
		SKU      string `json:"sku"`
		Quantity int    `json:"quantity"`
	}
	if err := json.NewDecoder(r.Body).Decode(&line); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.Add(r.PathValue("customer"), line.SKU, line.Quantity)
	w.WriteHeader(http.StatusNoContent)
}

// RunSweeper archives abandoned carts; one sweeper is started per process.
func (c *Carts) RunSweeper(ctx context.Context) {
	tick := time.NewTicker(c.idle / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			c.sweep(ctx, now.Add(-c.idle))
		}
	}
}

func (c *Carts) sweep(ctx context.Context, cutoff time.Time) {
	for _, abandoned := range c.idleSince(cutoff) {
		if err := c.archive.Store(ctx, abandoned); err != nil {
			log.Printf("cart: archive %s: %v", abandoned.Customer, err)
			continue
		}
		c.dropIdle(abandoned.Customer, cutoff)
	}
}

func (c *Carts) idleSince(cutoff time.Time) []Cart {
	c.Lock()
	defer c.Unlock()
	var idle []Cart
	for _, cur := range c.open {
		if cur.touched.Before(cutoff) {
			cp := *cur
			cp.Lines = maps.Clone(cur.Lines)
			idle = append(idle, cp)
		}
	}
	return idle
}

// dropIdle removes the cart unless the customer came back.
func (c *Carts) dropIdle(customer string, cutoff time.Time) {
	c.Lock()
	defer c.Unlock()
	if cur := c.open[customer]; cur != nil && cur.touched.Before(cutoff) {
		delete(c.open, customer)
	}
}
