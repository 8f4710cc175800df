// Package shop_ok is shop of Empire's Table 2 put right: to get an item if there is
// one is one critical section of the shop's, so nobody else can take the item that
// was seen. Who opens the shop waits for the supplier.
package shop_ok

import (
	"fmt"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

// A Shop has a shelf with items.
type Shop struct {
	mu    sync.RWMutex
	top   int         //atomvet:set shelf
	shelf [100]string //atomvet:set shelf
}

// IsEmpty reports whether there are no items.
func (s *Shop) IsEmpty() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.top < 0
}

// TryGet takes an item if there is one.
func (s *Shop) TryGet() (item string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.top < 0 {
		return "", false
	}
	pause()
	item = s.shelf[s.top]
	s.top--
	return item, true
}

// PutItem puts an item on the shelf.
func (s *Shop) PutItem(item string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.top++
	s.shelf[s.top] = item
}

type customer struct {
	shop  *Shop
	items []string
}

// buy takes an item if there is one.
//
//atomvet:unit
func (c *customer) buy() {
	if item, ok := c.shop.TryGet(); ok {
		c.items = append(c.items, item)
	}
}

func (c *customer) visit() {
	for range 50 {
		c.buy()
	}
}

// round returns how many items were not sold.
func round() int {
	s := &Shop{top: -1}
	supplied := make(chan struct{})
	go func() {
		for i := range 50 {
			s.PutItem(fmt.Sprint("item ", i))
		}
		close(supplied)
	}()
	<-supplied

	var wg sync.WaitGroup
	for range 3 {
		c := &customer{shop: s}
		wg.Go(c.visit)
	}
	wg.Wait()
	return s.top + 1
}

// Run opens some shops and returns how many items were not sold.
func Run() int {
	left := 0
	for range 20 {
		left += round()
	}
	return left
}
