package a

import (
	"errors"
	"log"
	"slices"
	"sync"
)

var ErrNoOrder = errors.New("book: no such order")

// Order is a resting sell order.
type Order struct {
	ID    string
	Owner string
	Price int64
	Qty   int64
}

// Trade is one execution.
type Trade struct {
	SellID string
	Buyer  string
	Price  int64
	Qty    int64
}

// Journal is the append-only audit trail kept by the compliance service.
type Journal interface {
	Record(event, orderID string) error
}

// Book holds the resting asks of one instrument, best price first.
type Book struct {
	journal Journal

	mu     sync.Mutex
	asks   []Order
	trades []Trade
}

func NewBook(j Journal) *Book { return &Book{journal: j} }

func (b *Book) withLock(fn func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fn()
}

// Sell adds a resting order behind the orders of equal price.
func (b *Book) Sell(o Order) {
	b.withLock(func() {
		at := slices.IndexFunc(b.asks, func(x Order) bool { return x.Price > o.Price })
		if at < 0 {
			at = len(b.asks)
		}
		b.asks = slices.Insert(b.asks, at, o)
	})
}

// Buy takes up to qty from the asks at or below limit.
func (b *Book) Buy(buyer string, limit, qty int64) (filled int64) {
	b.withLock(func() {
		for len(b.asks) > 0 && qty > 0 {
			best := &b.asks[0]
			if best.Price > limit {
				return
			}
			n := min(qty, best.Qty)
			b.trades = append(b.trades, Trade{SellID: best.ID, Buyer: buyer, Price: best.Price, Qty: n})
			best.Qty -= n
			qty -= n
			filled += n
			if best.Qty == 0 {
				b.asks = slices.Delete(b.asks, 0, 1)
			}
		}
	})
	return filled
}

// Cancel withdraws a resting order on behalf of its owner.
func (b *Book) Cancel(owner, id string) error {
	pos := -1
	b.withLock(func() {
		pos = slices.IndexFunc(b.asks, func(o Order) bool {
			return o.ID == id && o.Owner == owner
		})
	})
	if pos < 0 {
		return ErrNoOrder
	}
	if err := b.journal.Record("cancel-requested", id); err != nil {
		return err
	}
	b.withLock(func() {
		b.asks = slices.Delete(b.asks, pos, pos+1)
	})
	return nil
}

// Depth reports the open quantity at or below price.
func (b *Book) Depth(price int64) (qty int64) {
	b.withLock(func() {
		for _, o := range b.asks {
			if o.Price <= price {
				qty += o.Qty
			}
		}
	})
	return qty
}

// Command is a decoded gateway message.
type Command struct {
	Kind  string
	Order Order
}

// Session handles the commands of one trader.
func (b *Book) Session(trader string, in <-chan Command) {
	for c := range in {
		switch c.Kind {
		case "sell":
			c.Order.Owner = trader
			b.Sell(c.Order)
		case "buy":
			b.Buy(trader, c.Order.Price, c.Order.Qty)
		case "cancel":
			if err := b.Cancel(trader, c.Order.ID); err != nil {
				log.Printf("cancel %s by %s: %v", c.Order.ID, trader, err)
			}
		}
	}
}

// Gateway starts a goroutine for each logged-in trader.
func (b *Book) Gateway(logins <-chan string, open func(trader string) <-chan Command) {
	for trader := range logins {
		go b.Session(trader, open(trader))
	}
}
