// Package a passes movement orders to the trains of a district.
package a

import (
	"errors"
	"slices"
	"sync"
)

var (
	ErrNoTrain = errors.New("dispatch: no such train")
	ErrRunning = errors.New("dispatch: train number is in use")
	ErrTray    = errors.New("dispatch: driver does not fetch the orders")
)

const trayLimit = 32

// Order tells the driver how far the train may go.
type Order struct {
	Number int
	Limit  string // name of the signal
}

// tray holds the orders that the driver has not fetched yet.
type tray struct {
	mu     sync.Mutex
	orders []Order
	gone   bool // the train has left the district
}

func (t *tray) push(o Order) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return ErrNoTrain
	}
	if len(t.orders) == trayLimit {
		return ErrTray
	}
	t.orders = append(t.orders, o)
	return nil
}

func (t *tray) fetch() []Order {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.orders
	t.orders = nil
	return list
}

// leave empties the tray for good.
func (t *tray) leave() []Order {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.orders
	t.orders = nil
	t.gone = true
	return list
}

// Train is a train in the district.
type Train struct {
	tray
	number string
}

// Dispatcher knows the trains of its district.
type Dispatcher struct {
	mu     sync.RWMutex
	trains map[string]*Train
}

// NewDispatcher returns a dispatcher of an empty district.
func NewDispatcher() *Dispatcher {
	return &Dispatcher{trains: make(map[string]*Train)}
}

// Enter registers a train that comes into the district.
func (d *Dispatcher) Enter(number string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.trains[number] != nil {
		return ErrRunning
	}
	d.trains[number] = &Train{number: number}
	return nil
}

func (d *Dispatcher) find(number string) *Train {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.trains[number]
}

// Issue passes an order to a train. Without an error the order is either
// fetched by the driver or returned by Retire.
func (d *Dispatcher) Issue(number string, o Order) error {
	t := d.find(number)
	if t == nil {
		return ErrNoTrain
	}
	return t.push(o)
}

// Fetch is called by the cab and empties the tray of the train.
func (d *Dispatcher) Fetch(number string) ([]Order, error) {
	t := d.find(number)
	if t == nil {
		return nil, ErrNoTrain
	}
	return t.fetch(), nil
}

// Retire removes a train that leaves the district and returns the orders
// that must be handed to the neighbour.
func (d *Dispatcher) Retire(number string) ([]Order, error) {
	d.mu.Lock()
	t := d.trains[number]
	delete(d.trains, number)
	d.mu.Unlock()
	if t == nil {
		return nil, ErrNoTrain
	}
	return t.leave(), nil
}

// Numbers lists the trains in the district.
func (d *Dispatcher) Numbers() []string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var list []string
	for n := range d.trains {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}
