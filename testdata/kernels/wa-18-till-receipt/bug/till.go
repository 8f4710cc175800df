package till

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrUnknown = errors.New("till: unknown article")
	ErrFunds   = errors.New("till: not enough on the card")
)

// Receipt says what was paid for an article.
type Receipt struct {
	Card, SKU string
	Cents     int64
	At        time.Time
}

// Till sells articles to the holders of prepaid cards.
type Till struct {
	list PriceList

	mu    sync.Mutex
	cards map[string]int64
	roll  []Receipt
}

func Open(list PriceList) *Till {
	return &Till{list: list, cards: make(map[string]int64)}
}

// Charge puts money on a card.
func (t *Till) Charge(card string, cents int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cards[card] += cents
}

func (t *Till) receipt(card, sku string) Receipt {
	cents, _ := t.list.Price(sku)
	return Receipt{Card: card, SKU: sku, Cents: cents, At: time.Now()}
}

// Buy takes the price of one sku from the card.
func (t *Till) Buy(card, sku string) (Receipt, error) {
	cents, ok := t.list.Price(sku)
	if !ok {
		return Receipt{}, ErrUnknown
	}
	r := t.receipt(card, sku)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cards[card] < cents {
		return Receipt{}, ErrFunds
	}
	t.cards[card] -= cents
	t.roll = append(t.roll, r)
	return r, nil
}

// Refund gives the money for r back and strikes it off the roll.
func (t *Till) Refund(r Receipt) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, old := range t.roll {
		if old == r {
			t.roll = append(t.roll[:i], t.roll[i+1:]...)
			t.cards[r.Card] += r.Cents
			return true
		}
	}
	return false
}
