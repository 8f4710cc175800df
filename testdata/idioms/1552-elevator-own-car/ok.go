package a

import (
	"container/heap"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

type call struct {
	floor int
	at    time.Time
}

// calls is a heap, the oldest call first.
type calls []call

func (c calls) Len() int           { return len(c) }
func (c calls) Less(i, j int) bool { return c[i].at.Before(c[j].at) }
func (c calls) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *calls) Push(x any)        { *c = append(*c, x.(call)) }
func (c *calls) Pop() any {
	old := *c
	x := old[len(old)-1]
	*c = old[:len(old)-1]
	return x
}

// Car is one elevator, moved only by its own goroutine.
type Car struct {
	id        int
	floor     int
	travelled int
	busy      bool
}

// Dispatcher gives the floor calls to the cars.
type Dispatcher struct {
	mu       sync.Mutex
	arrived  *sync.Cond
	queue    calls
	cars     []*Car
	closed   bool
	wg       sync.WaitGroup
	perFloor time.Duration
}

func NewDispatcher(cars int, perFloor time.Duration) *Dispatcher {
	d := &Dispatcher{perFloor: perFloor}
	d.arrived = sync.NewCond(&d.mu)
	for i := range cars {
		car := &Car{id: i}
		d.cars = append(d.cars, car)
		d.wg.Add(1)
		go d.drive(car)
	}
	return d
}

func (d *Dispatcher) Call(floor int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	heap.Push(&d.queue, call{floor: floor, at: time.Now()})
	d.arrived.Signal()
	return true
}

// next waits for a call and tells where the car is.
func (d *Dispatcher) next(car *Car) (c call, from int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.queue) == 0 && !d.closed {
		d.arrived.Wait()
	}
	if len(d.queue) == 0 {
		return call{}, 0, false
	}
	car.busy = true
	return heap.Pop(&d.queue).(call), car.floor, true
}

func (d *Dispatcher) drive(car *Car) {
	defer d.wg.Done()
	for {
		c, from, ok := d.next(car)
		if !ok {
			return
		}
		way := c.floor - from
		if way < 0 {
			way = -way
		}
		time.Sleep(time.Duration(way) * d.perFloor)

		d.mu.Lock()
		car.floor = c.floor
		car.travelled += way
		car.busy = false
		d.mu.Unlock()
	}
}

// Close serves the calls that are queued and stops the cars.
func (d *Dispatcher) Close() {
	d.mu.Lock()
	d.closed = true
	d.arrived.Broadcast()
	d.mu.Unlock()
	d.wg.Wait()
}

func (d *Dispatcher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		floor, err := strconv.Atoi(r.FormValue("floor"))
		if err != nil || !d.Call(floor) {
			http.Error(w, "call refused", http.StatusBadRequest)
		}
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, car := range d.cars {
		fmt.Fprintf(w, "car %d: floor %d, busy %t, %d floors\n", car.id, car.floor, car.busy, car.travelled)
	}
}
