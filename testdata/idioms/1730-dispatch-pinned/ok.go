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
)

// Order tells the driver how far the train may go.
type Order struct {
	Number int
	Limit  string // name of the signal
}

// train is a train in the district.
type train struct {
	users int // guarded by the lock of the dispatcher

	mu     sync.Mutex
	orders []Order
}

func (t *train) push(o Order) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.orders = append(t.orders, o)
}

func (t *train) empty() []Order {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.orders
	t.orders = nil
	return list
}

// Dispatcher knows the trains of its district.
type Dispatcher struct {
	mu     sync.Mutex
	idle   *sync.Cond // a train has no users any more
	trains map[string]*train
}

// NewDispatcher returns a dispatcher of an empty district.
func NewDispatcher() *Dispatcher {
	d := &Dispatcher{trains: make(map[string]*train)}
	d.idle = sync.NewCond(&d.mu)
	return d
}

// Enter registers a train that comes into the district.
func (d *Dispatcher) Enter(number string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.trains[number] != nil {
		return ErrRunning
	}
	d.trains[number] = &train{}
	return nil
}

func (d *Dispatcher) acquire(number string) *train {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.trains[number]
	if t != nil {
		t.users++
	}
	return t
}

func (d *Dispatcher) release(t *train) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t.users--
	if t.users == 0 {
		d.idle.Broadcast()
	}
}

// Issue passes an order to a train. Without an error the order is either
// fetched by the driver or returned by Retire.
func (d *Dispatcher) Issue(number string, o Order) error {
	t := d.acquire(number)
	if t == nil {
		return ErrNoTrain
	}
	defer d.release(t)
	t.push(o)
	return nil
}

// Fetch is called by the cab and empties the tray of the train.
func (d *Dispatcher) Fetch(number string) ([]Order, error) {
	t := d.acquire(number)
	if t == nil {
		return nil, ErrNoTrain
	}
	defer d.release(t)
	return t.empty(), nil
}

// Retire removes a train that leaves the district and returns the orders
// that must be handed to the neighbour.
func (d *Dispatcher) Retire(number string) ([]Order, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.trains[number]
	if t == nil {
		return nil, ErrNoTrain
	}
	delete(d.trains, number)
	for t.users > 0 {
		d.idle.Wait()
	}
	return t.empty(), nil
}

// Numbers lists the trains in the district.
func (d *Dispatcher) Numbers() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []string
	for n := range d.trains {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}
