package a

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
)

// ErrClosed is returned when the yard closes.
var ErrClosed = errors.New("yard: closed")

// Dock is where a truck is unloaded.
type Dock struct {
	Number int
	Cooled bool
}

// Yard assigns docks to trucks.
type Yard struct {
	mu      sync.Mutex
	changed *sync.Cond
	free    []Dock
	busy    map[string]Dock
	closed  bool
}

func NewYard(docks ...Dock) *Yard {
	y := &Yard{free: slices.Clone(docks), busy: make(map[string]Dock)}
	y.changed = sync.NewCond(&y.mu)
	return y
}

// match is the place in free of a dock that is good enough, or -1. It is
// called with the lock held, like wait.
func (y *Yard) match(cooled bool) int {
	best := -1
	for i, d := range y.free {
		if cooled && !d.Cooled {
			continue
		}
		if best < 0 || (y.free[best].Cooled && !d.Cooled) {
			best = i
		}
	}
	return best
}

// wait returns -1 when the truck has got a dock in the meantime.
func (y *Yard) wait(truck string, cooled bool) (int, error) {
	for {
		if y.closed {
			return -1, ErrClosed
		}
		if _, ok := y.busy[truck]; ok {
			return -1, nil
		}
		if i := y.match(cooled); i >= 0 {
			return i, nil
		}
		y.changed.Wait()
	}
}

// Enter gives a dock to the truck and waits for one if it has to. A truck
// that is at a dock already keeps it.
func (y *Yard) Enter(truck string, cooled bool) (Dock, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	i, err := y.wait(truck, cooled)
	if err != nil {
		return Dock{}, err
	}
	if i < 0 {
		return y.busy[truck], nil
	}
	d := y.free[i]
	y.free = slices.Delete(y.free, i, i+1)
	y.busy[truck] = d
	y.changed.Broadcast()
	return d, nil
}

// Leave frees the dock of the truck.
func (y *Yard) Leave(truck string) bool {
	y.mu.Lock()
	d, ok := y.busy[truck]
	if ok {
		delete(y.busy, truck)
		y.free = append(y.free, d)
	}
	y.mu.Unlock()
	if ok {
		y.changed.Broadcast()
	}
	return ok
}

// Close sends all waiting trucks away.
func (y *Yard) Close() {
	y.mu.Lock()
	y.closed = true
	y.mu.Unlock()
	y.changed.Broadcast()
}

// ServeHTTP shows who is where.
func (y *Yard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for truck, d := range y.busy {
		fmt.Fprintf(w, "dock %d: %s\n", d.Number, truck)
	}
	fmt.Fprintf(w, "%d free\n", len(y.free))
}
