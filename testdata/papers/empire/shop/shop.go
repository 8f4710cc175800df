// Package shop is shop of Empire's Table 2: customers look whether the shop is
// empty and then get an item, in two critical sections. Who opens the shop sleeps
// until the supplier may have come, so customers may also be there before him.
//
// AV1: buy. IsEmpty; buy of another customer, who gets the last item; GetItem:
// there is nothing on the shelf.
package shop

import (
	"fmt"
	"sync"
	"time"
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

// GetItem takes an item, of which there is one.
//
//atomvet:notunit
func (s *Shop) GetItem() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	item := s.shelf[s.top]
	s.top--
	return item
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
	if !c.shop.IsEmpty() { // AV1: the first access
		pause()
		c.items = append(c.items, c.shop.GetItem()) // want `^R\(a\) W'\(a\) W\(a\): \(\*customer\)\.buy is not .*, if \(\*Shop\)\.PutItem comes`
	}
}

// visit returns 1 if the customer did not find what he saw.
func (c *customer) visit() (fooled int) {
	defer func() {
		if recover() != nil {
			fooled = 1
		}
	}()
	for range 50 {
		c.buy()
	}
	return 0
}

// round returns how many customers did not find what they saw.
func round() int {
	s := &Shop{top: -1}
	go func() {
		for i := range 50 {
			s.PutItem(fmt.Sprint("item ", i))
		}
	}()
	time.Sleep(100 * time.Microsecond)

	fooled := make(chan int)
	for range 3 {
		c := &customer{shop: s}
		go func() { fooled <- c.visit() }()
	}
	return <-fooled + <-fooled + <-fooled
}

// Run opens some shops and returns how many customers did not find what they saw.
func Run() int {
	fooled := 0
	for range 20 {
		fooled += round()
	}
	return fooled
}
