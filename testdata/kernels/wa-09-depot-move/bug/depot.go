package depot

import (
	"errors"
	"sync"
)

var ErrNotThere = errors.New("depot: item not on that shelf")

type shelf map[string]struct{}

// Depot knows which shelf each item lies on.
type Depot struct {
	mu      sync.Mutex
	shelves map[string]shelf
	reorder func(item string)
}

// New returns an empty depot. It calls reorder with its lock held.
func New(reorder func(item string), names ...string) *Depot {
	d := &Depot{shelves: make(map[string]shelf, len(names)), reorder: reorder}
	for _, n := range names {
		d.shelves[n] = shelf{}
	}
	return d
}

func (d *Depot) take(item, from string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.shelves[from]
	if _, ok := s[item]; !ok {
		return false
	}
	delete(s, item)
	return true
}

func (d *Depot) put(item, to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.shelves[to]
	if !ok {
		s = shelf{}
		d.shelves[to] = s
	}
	s[item] = struct{}{}
}

// Receive files an item that has been delivered.
func (d *Depot) Receive(item, at string) { d.put(item, at) }

// Ship takes an item out of the depot.
func (d *Depot) Ship(item, from string) error {
	if !d.take(item, from) {
		return ErrNotThere
	}
	return nil
}

// Move brings an item to another shelf.
func (d *Depot) Move(item, from, to string) error {
	if !d.take(item, from) {
		return ErrNotThere
	}
	d.put(item, to)
	return nil
}

// Ensure orders those of the items that the depot does not have.
func (d *Depot) Ensure(items ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
next:
	for _, it := range items {
		for _, s := range d.shelves {
			if _, ok := s[it]; ok {
				continue next
			}
		}
		d.reorder(it)
	}
}
