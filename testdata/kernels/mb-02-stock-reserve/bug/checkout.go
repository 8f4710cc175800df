// Package checkout reserves stock for orders.
package checkout

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
)

// ErrShort reports that there is too little on hand.
var ErrShort = errors.New("checkout: not enough stock")

// ErrUnknownSKU reports an article the warehouse does not carry.
var ErrUnknownSKU = errors.New("checkout: unknown sku")

// StockBook keeps quantities by SKU.
type StockBook interface {
	OnHand(sku string) (int, error)
	Withdraw(sku string, n int) error
	Return(sku string, n int)
}

const shardCount = 16

type bookShard struct {
	sync.RWMutex
	qty map[string]int
}

type shardedBook struct {
	shards [shardCount]bookShard
}

// NewBook returns a StockBook with the given opening quantities.
func NewBook(opening map[string]int) StockBook {
	b := &shardedBook{}
	for i := range b.shards {
		b.shards[i].qty = make(map[string]int)
	}
	for sku, n := range opening {
		b.shard(sku).qty[sku] = n
	}
	return b
}

func (b *shardedBook) shard(sku string) *bookShard {
	h := fnv.New32a()
	h.Write([]byte(sku))
	return &b.shards[h.Sum32()%shardCount]
}

func (b *shardedBook) OnHand(sku string) (int, error) {
	s := b.shard(sku)
	s.RLock()
	defer s.RUnlock()
	n, ok := s.qty[sku]
	if !ok {
		return 0, fmt.Errorf("%w: %s", ErrUnknownSKU, sku)
	}
	return n, nil
}

func (b *shardedBook) Withdraw(sku string, n int) error {
	s := b.shard(sku)
	s.Lock()
	defer s.Unlock()
	if _, ok := s.qty[sku]; !ok {
		return fmt.Errorf("%w: %s", ErrUnknownSKU, sku)
	}
	s.qty[sku] -= n
	return nil
}

func (b *shardedBook) Return(sku string, n int) {
	s := b.shard(sku)
	s.Lock()
	s.qty[sku] += n
	s.Unlock()
}

// Line is one position of an order.
type Line struct {
	SKU string
	Qty int
}

// Order is what a customer wants.
type Order struct {
	ID    string
	Lines []Line
}

// Checkout reserves the stock of orders that arrive from the shop front.
type Checkout struct {
	book     StockBook
	rejected func(Order, error)
}

// New returns a Checkout over the book; rejected may be nil.
func New(book StockBook, rejected func(Order, error)) *Checkout {
	if rejected == nil {
		rejected = func(Order, error) {}
	}
	return &Checkout{book: book, rejected: rejected}
}

// Reserve takes the stock of all lines or of none.
func (c *Checkout) Reserve(o Order) (err error) {
	var done []Line
	defer func() {
		if err != nil {
			for _, l := range done {
				c.book.Return(l.SKU, l.Qty)
			}
		}
	}()
	for _, l := range o.Lines {
		if err := c.reserveLine(l); err != nil {
			return fmt.Errorf("order %s: %w", o.ID, err)
		}
		done = append(done, l)
	}
	return nil
}

func (c *Checkout) reserveLine(l Line) error {
	have, err := c.book.OnHand(l.SKU)
	if err != nil {
		return err
	}
	if have < l.Qty {
		return fmt.Errorf("%w: %s: have %d, want %d", ErrShort, l.SKU, have, l.Qty)
	}
	return c.book.Withdraw(l.SKU, l.Qty)
}

// Serve works on orders with the given number of workers until the channel is closed.
func (c *Checkout) Serve(ctx context.Context, orders <-chan Order, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for o := range orders {
				if ctx.Err() != nil {
					return
				}
				if err := c.Reserve(o); err != nil {
					c.rejected(o, err)
				}
			}
		}()
	}
	wg.Wait()
}
