package a

import (
	"errors"
	"maps"
	"sync"
)

var (
	// ErrGone is returned when a cart does not exist or was checked out.
	ErrGone = errors.New("carts: no such cart")
	// ErrContended is returned when a cart keeps changing.
	ErrContended = errors.New("carts: too many concurrent changes")
)

// Cart is the content of a shopping cart. Items is never changed in place.
type Cart struct {
	ID    string
	Items map[string]int

	version uint64
}

// Carts stores the carts of all customers.
type Carts struct {
	mu      sync.RWMutex
	rows    map[string]Cart
	counter uint64 // source of versions, unique over all carts
}

// NewCarts makes an empty store.
func NewCarts() *Carts {
	return &Carts{rows: make(map[string]Cart)}
}

// Open makes an empty cart unless there is one under that id.
func (c *Carts) Open(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.rows[id]; !ok {
		c.writeLocked(Cart{ID: id, Items: map[string]int{}})
	}
}

// Get returns a cart.
func (c *Carts) Get(id string) (Cart, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	cart, ok := c.rows[id]
	if !ok {
		return Cart{}, ErrGone
	}
	return cart, nil
}

// writeLocked stores a cart under a new version.
func (c *Carts) writeLocked(cart Cart) {
	c.counter++
	cart.version = c.counter
	c.rows[cart.ID] = cart
}

// put stores a cart that was read before. It says false when the cart was
// written or checked out since.
func (c *Carts) put(cart Cart) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if have, ok := c.rows[cart.ID]; !ok || have.version != cart.version {
		return false
	}
	c.writeLocked(cart)
	return true
}

// Update changes a cart. The function may ask the stock service, hence it
// runs without a lock, and again if another request was faster.
func (c *Carts) Update(id string, change func(items map[string]int) error) error {
	for range 8 {
		cart, err := c.Get(id)
		if err != nil {
			return err
		}
		cart.Items = maps.Clone(cart.Items)
		if err := change(cart.Items); err != nil {
			return err
		}
		if c.put(cart) {
			return nil
		}
	}
	return ErrContended
}

// Add puts n pieces of an article into a cart.
func (c *Carts) Add(id, article string, n int) error {
	return c.Update(id, func(items map[string]int) error {
		items[article] += n
		return nil
	})
}

// Checkout takes a cart out of the store.
func (c *Carts) Checkout(id string) (Cart, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cart, ok := c.rows[id]
	if !ok {
		return Cart{}, ErrGone
	}
	delete(c.rows, id)
	return cart, nil
}
