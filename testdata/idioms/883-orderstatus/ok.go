// Package order moves orders from the cart to the door. Customers, the
// warehouse and support act on an order at the same time.
package order

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Status is the place of an order in its life.
type Status int32

const (
	Open Status = iota
	Paying
	Paid
	Packing
	Shipped
	Refunding
	Cancelled
)

var (
	ErrNoOrder = errors.New("order: no such order")
	ErrState   = errors.New("order: not possible in this state")
)

// Bank moves money.
type Bank interface {
	Charge(ctx context.Context, order string, cents int64) (ref string, err error)
	Refund(ctx context.Context, ref string) error
}

// Warehouse ships goods.
type Warehouse interface {
	Dispatch(ctx context.Context, order string) error
}

// Order is one order. payment belongs to whoever has moved the order to
// Paying or Refunding.
type Order struct {
	ID    string
	Cents int64

	status  atomic.Int32
	payment string
}

// Status returns where the order is.
func (o *Order) Status() Status { return Status(o.status.Load()) }

func (o *Order) move(from, to Status) bool {
	return o.status.CompareAndSwap(int32(from), int32(to))
}

// settle ends a step that is under way; nothing else leaves that state.
func (o *Order) settle(to Status) { o.status.Store(int32(to)) }

// Desk works on orders. It is safe for concurrent use.
type Desk struct {
	bank      Bank
	warehouse Warehouse

	mu     sync.RWMutex
	orders map[string]*Order
}

// NewDesk returns a desk without orders.
func NewDesk(b Bank, w Warehouse) *Desk {
	return &Desk{bank: b, warehouse: w, orders: make(map[string]*Order)}
}

// Add takes in a new order.
func (d *Desk) Add(id string, cents int64) *Order {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, ok := d.orders[id]
	if !ok {
		o = &Order{ID: id, Cents: cents}
		d.orders[id] = o
	}
	return o
}

func (d *Desk) find(id string) (*Order, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	o, ok := d.orders[id]
	if !ok {
		return nil, ErrNoOrder
	}
	return o, nil
}

// Pay charges the customer.
func (d *Desk) Pay(ctx context.Context, id string) error {
	o, err := d.find(id)
	if err != nil {
		return err
	}
	if !o.move(Open, Paying) {
		return ErrState
	}
	ref, err := d.bank.Charge(ctx, o.ID, o.Cents)
	if err != nil {
		o.settle(Open)
		return fmt.Errorf("order: %s: %w", id, err)
	}
	o.payment = ref
	o.settle(Paid)
	return nil
}

// Ship hands a paid order to the carrier.
func (d *Desk) Ship(ctx context.Context, id string) error {
	o, err := d.find(id)
	if err != nil {
		return err
	}
	if !o.move(Paid, Packing) {
		return ErrState
	}
	if err := d.warehouse.Dispatch(ctx, o.ID); err != nil {
		o.settle(Paid)
		return fmt.Errorf("order: %s: %w", id, err)
	}
	o.settle(Shipped)
	return nil
}

// Cancel ends an order that has not been shipped. A paid order is refunded.
func (d *Desk) Cancel(ctx context.Context, id string) error {
	o, err := d.find(id)
	if err != nil {
		return err
	}
	for {
		switch o.Status() {
		case Cancelled:
			return nil
		case Open:
			if o.move(Open, Cancelled) {
				return nil
			}
		case Paid:
			if o.move(Paid, Refunding) {
				return d.refund(ctx, o)
			}
		default:
			return ErrState
		}
	}
}

// refund pays back an order that has been moved to Refunding.
func (d *Desk) refund(ctx context.Context, o *Order) error {
	if err := d.bank.Refund(ctx, o.payment); err != nil {
		o.settle(Paid)
		return fmt.Errorf("order: %s: %w", o.ID, err)
	}
	o.settle(Cancelled)
	return nil
}
