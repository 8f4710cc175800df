package a

import (
	"errors"
	"math"
	"sync"
)

var (
	ErrNoCourier = errors.New("dispatch: no courier in range")
	ErrGone      = errors.New("dispatch: courier is gone")
)

type Point struct{ X, Y float64 }

func (p Point) dist(q Point) float64 { return math.Hypot(p.X-q.X, p.Y-q.Y) }

type Order struct {
	ID     string
	Pickup Point
}

type courier struct {
	at      Point
	busy    bool
	orderID string
	trips   int
}

type Dispatcher struct {
	mu       sync.RWMutex
	couriers map[string]*courier
	radius   float64
}

func NewDispatcher(radius float64) *Dispatcher {
	return &Dispatcher{couriers: make(map[string]*courier), radius: radius}
}

func (d *Dispatcher) SignOn(id string, at Point) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c, ok := d.couriers[id]; ok {
		c.at = at
		return
	}
	d.couriers[id] = &courier{at: at}
}

func (d *Dispatcher) Delivered(id string, at Point) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, ok := d.couriers[id]
	if !ok || !c.busy {
		return
	}
	c.at = at
	c.busy = false
	c.orderID = ""
	c.trips++
}

func (d *Dispatcher) nearest(p Point) (string, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	best, bestDist := "", d.radius
	for id, c := range d.couriers {
		if c.busy {
			continue
		}
		if dist := c.at.dist(p); dist <= bestDist {
			best, bestDist = id, dist
		}
	}
	return best, best != ""
}

func (d *Dispatcher) assign(id string, o Order) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, ok := d.couriers[id]
	if !ok {
		return ErrGone
	}
	c.busy = true
	c.orderID = o.ID
	return nil
}

func (d *Dispatcher) Match(o Order) (string, error) {
	id, ok := d.nearest(o.Pickup)
	if !ok {
		return "", ErrNoCourier
	}
	if err := d.assign(id, o); err != nil {
		return "", err
	}
	return id, nil
}

// MatchAll returns the orders which have to wait for the next round.
func (d *Dispatcher) MatchAll(orders []Order) []Order {
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		rest []Order
	)
	for _, o := range orders {
		wg.Go(func() {
			if _, err := d.Match(o); err != nil {
				mu.Lock()
				rest = append(rest, o)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return rest
}
