package claim

import "sync"

// A Depot has one goroutine at a time that opens what is missing: the one that has put its channel
// into the table. It asks the same flag when it opens.
type Depot struct {
	mu      sync.Mutex
	open    map[string]*Door
	opening map[string]chan struct{}
}

type Door struct{ name string }

func dialDoor(name string) (*Door, error) { return &Door{name}, nil }

// Get opens the door if nobody else does, and takes its channel back in the section in which the
// door is put in.
func (d *Depot) Get(name string) *Door {
	d.mu.Lock()
	if door := d.open[name]; door != nil {
		d.mu.Unlock()
		return door
	}
	wait, found := d.opening[name]
	if !found {
		wait = make(chan struct{})
		d.opening[name] = wait
	}
	d.mu.Unlock()

	if !found {
		door, err := dialDoor(name)
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.opening, name)
		close(wait)
		if err != nil {
			return nil
		}
		d.open[name] = door
		return door
	}
	<-wait
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[name]
}

// A Hall does the same, but opens on another condition than the one on which it has put its
// channel in.
type Hall struct {
	mu      sync.Mutex
	open    map[string]*Door
	opening map[string]chan struct{}
}

func (h *Hall) Get(name string, again bool) *Door {
	h.mu.Lock()
	if door := h.open[name]; door != nil {
		h.mu.Unlock()
		return door
	}
	wait, found := h.opening[name]
	if !found {
		wait = make(chan struct{})
		h.opening[name] = wait
	}
	h.mu.Unlock()

	if again {
		door, err := dialDoor(name)
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.opening, name)
		if err != nil {
			return nil
		}
		h.open[name] = door // want `check-then-act: h\.open\[name\] was checked`
		return door
	}
	<-wait
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open[name]
}
