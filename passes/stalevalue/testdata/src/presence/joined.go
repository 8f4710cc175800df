package presence

import "sync"

type claim struct {
	by   string
	sold bool
}

// A Desk has claims that lapse.
type Desk struct {
	mu     sync.Mutex
	claims map[string]*claim
	tell   func(string)
}

func (d *Desk) Hold(seat, by string) *claim {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.claims[seat] != nil {
		return nil
	}
	c := &claim{by: by}
	d.claims[seat] = c
	return c
}

func (d *Desk) Sell(seat string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.claims[seat]; c != nil {
		c.sold = true
	}
}

// Lapse has compared the claim, which may be another one when it is removed.
func (d *Desk) Lapse(seat string, c *claim) {
	d.mu.Lock()
	live := d.claims[seat] == c && !c.sold
	d.mu.Unlock()
	if !live {
		return
	}
	d.tell(seat)
	d.mu.Lock()
	delete(d.claims, seat) // want `d.claims\[seat\] was checked at line 39, but d.mu was released at line 40 and another goroutine may change it before this write`
	d.mu.Unlock()
}
