package client

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrDropped is returned for a request that is dropped.
var ErrDropped = errors.New("RPC is dropped")

// PickResult is the connection for a request. Done is called when the
// request is done, unless it is nil.
type PickResult struct {
	SubConn string
	Done    func(err error)
}

// Picker picks connections for requests.
type Picker interface {
	Pick(method string) (PickResult, error)
}

// LoadReporter counts the dropped requests of each category.
type LoadReporter interface {
	CallDropped(category string)
}

// dropper drops a fraction of the requests.
type dropper struct {
	category    string
	numerator   uint32
	denominator uint32
	i           atomic.Uint32
}

func (d *dropper) drop() bool {
	return d.i.Add(1)%d.denominator < d.numerator
}

type dropPicker struct {
	p         Picker
	drops     []*dropper
	loadStore LoadReporter
	counter   *ServiceRequestsCounter
	countMax  uint32
}

func newDropPicker(p Picker, drops []*dropper, loadStore LoadReporter, counter *ServiceRequestsCounter, countMax uint32) *dropPicker {
	return &dropPicker{
		p:         p,
		drops:     drops,
		loadStore: loadStore,
		counter:   counter,
		countMax:  countMax,
	}
}

// Pick is called for each request, also concurrently.
func (d *dropPicker) Pick(method string) (PickResult, error) {
	for _, dp := range d.drops {
		if dp.drop() {
			if d.loadStore != nil {
				d.loadStore.CallDropped(dp.category)
			}
			return PickResult{}, ErrDropped
		}
	}
	if d.counter != nil {
		if err := d.counter.StartRequest(d.countMax); err != nil {
			// Drops by circuit breaking are reported with empty category. They
			// will be reported only in total drops, but not in per category.
			if d.loadStore != nil {
				d.loadStore.CallDropped("")
			}
			return PickResult{}, err
		}
		pr, err := d.p.Pick(method)
		if err != nil {
			d.counter.EndRequest()
			return pr, err
		}
		oldDone := pr.Done
		pr.Done = func(err error) {
			d.counter.EndRequest()
			if oldDone != nil {
				oldDone(err)
			}
		}
		return pr, nil
	}
	return d.p.Pick(method)
}

// edsBalancer makes a new picker of each update.
type edsBalancer struct {
	loadStore LoadReporter

	pickerMu   sync.Mutex
	drops      []*dropper
	innerState Picker
	counter    *ServiceRequestsCounter
	countMax   uint32
	cc         func(Picker)
}

// NewEDSBalancer returns a balancer that gives its pickers to cc.
func NewEDSBalancer(loadStore LoadReporter, cc func(Picker)) *edsBalancer {
	return &edsBalancer{loadStore: loadStore, countMax: 1024, cc: cc}
}

// UpdateServiceRequestsConfig handles changes to the circuit breaking configuration.
func (b *edsBalancer) UpdateServiceRequestsConfig(serviceName string, max *uint32) {
	b.pickerMu.Lock()
	defer b.pickerMu.Unlock()
	if b.counter == nil || b.counter.ServiceName != serviceName {
		b.counter = GetServiceRequestsCounter(serviceName)
	}
	b.countMax = 1024
	if max != nil {
		b.countMax = *max
	}
	b.updatePicker()
}

// UpdateState is called with a new picker of the child.
func (b *edsBalancer) UpdateState(p Picker) {
	b.pickerMu.Lock()
	defer b.pickerMu.Unlock()
	b.innerState = p
	b.updatePicker()
}

// Lock should be held.
func (b *edsBalancer) updatePicker() {
	if b.innerState != nil {
		b.cc(newDropPicker(b.innerState, b.drops, b.loadStore, b.counter, b.countMax))
	}
}
