// Package exports runs the report exports that users order. Several workers
// take orders from one list; users follow and cancel their orders meanwhile.
package exports

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"
)

var (
	// ErrUnknown is returned for an order that does not exist.
	ErrUnknown = errors.New("exports: no such order")
	// ErrNotPending is returned when an order can not be cancelled any more.
	ErrNotPending = errors.New("exports: order was started")
)

// State is where an order stands. Orders start as Pending, and go either to
// Cancelled, or to Running and then to Done or Failed.
type State string

// The states of an order.
const (
	Pending   State = "pending"
	Cancelled State = "cancelled"
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
)

// Order is one export as users see it.
type Order struct {
	ID       string
	Report   string
	State    State
	Ordered  time.Time
	Finished time.Time
	Rows     int
	Problem  string
}

// Renderer writes a report and returns its number of rows.
type Renderer interface {
	Render(ctx context.Context, report string, w io.Writer) (int, error)
}

// Target opens the file an export goes to.
type Target func(id string) (io.WriteCloser, error)

// Desk takes orders and runs them. It is safe for concurrent use.
type Desk struct {
	render Renderer
	target Target
	wake   chan struct{}

	mu     sync.Mutex
	orders map[string]*Order
	queue  []string // pending, and those cancelled while they waited
	seq    int
}

// NewDesk returns a desk without workers.
func NewDesk(r Renderer, t Target) *Desk {
	return &Desk{render: r, target: t, wake: make(chan struct{}, 1), orders: make(map[string]*Order)}
}

// Place enters an order and returns its id.
func (d *Desk) Place(report string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seq++
	id := "x" + strconv.Itoa(d.seq)
	d.orders[id] = &Order{ID: id, Report: report, State: Pending, Ordered: time.Now()}
	d.queue = append(d.queue, id)
	d.signal()
	return id
}

// Get returns a copy of the order.
func (d *Desk) Get(id string) (Order, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, ok := d.orders[id]
	if !ok {
		return Order{}, ErrUnknown
	}
	return *o, nil
}

// Cancel calls an order off that was not started.
func (d *Desk) Cancel(id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, ok := d.orders[id]
	if !ok {
		return ErrUnknown
	}
	if o.State != Pending {
		return ErrNotPending
	}
	o.State, o.Finished = Cancelled, time.Now()
	return nil
}

// Work runs orders until ctx ends. It is started once per worker.
func (d *Desk) Work(ctx context.Context) {
	for {
		id, report, ok := d.claim()
		if ok {
			rows, err := d.export(ctx, id, report)
			d.finish(id, rows, err)
			continue
		}
		select {
		case <-d.wake:
		case <-ctx.Done():
			return
		}
	}
}

// claim turns the oldest pending order into a running one. If there are more,
// another worker is woken.
func (d *Desk) claim() (id, report string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.queue) > 0 {
		o := d.orders[d.queue[0]]
		d.queue = d.queue[1:]
		if o.State != Pending {
			continue
		}
		o.State = Running
		if len(d.queue) > 0 {
			d.signal()
		}
		return o.ID, o.Report, true
	}
	return "", "", false
}

// finish enters the outcome of an order that the worker had claimed.
func (d *Desk) finish(id string, rows int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.orders[id]
	o.Finished = time.Now()
	if err != nil {
		o.State, o.Problem = Failed, err.Error()
		return
	}
	o.State, o.Rows = Done, rows
}

// export renders the report into its file.
func (d *Desk) export(ctx context.Context, id, report string) (rows int, err error) {
	w, err := d.target(id)
	if err != nil {
		return 0, err
	}
	rows, err = d.render.Render(ctx, report, w)
	return rows, errors.Join(err, w.Close())
}

// signal leaves a token for one sleeping worker; it stays until it is taken.
func (d *Desk) signal() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}
