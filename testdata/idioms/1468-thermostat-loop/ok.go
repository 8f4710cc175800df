// Package thermostat controls the heating of one room.
package thermostat

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Relay switches the heating.
type Relay interface {
	Set(on bool) error
}

// Status is what the app shows.
type Status struct {
	Celsius float64   `json:"celsius"`
	Target  float64   `json:"target"`
	Heating bool      `json:"heating"`
	Since   time.Time `json:"since"`
}

// board publishes the status to the request handlers.
type board struct {
	mu sync.RWMutex
	st Status
}

func (b *board) read() Status {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.st
}

func (b *board) write(st Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.st = st
}

// Controller owns the relay. All changes of the status are made by the
// goroutine started in Start; everybody else sends requests or reads.
type Controller struct {
	relay   Relay
	board   board
	samples chan float64
	targets chan float64
}

// Start begins to control the room.
func Start(ctx context.Context, relay Relay, target float64) *Controller {
	c := &Controller{
		relay:   relay,
		samples: make(chan float64, 8),
		targets: make(chan float64),
	}
	c.board.write(Status{Target: target})
	go c.loop(ctx)
	return c
}

// Sample is called by the sensor driver.
func (c *Controller) Sample(celsius float64) {
	select {
	case c.samples <- celsius:
	default: // the next one will do
	}
}

// ServeHTTP handles GET and PUT of the thermostat resource.
func (c *Controller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		var req struct{ Target float64 }
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		select {
		case c.targets <- req.Target:
		case <-r.Context().Done():
			return
		}
	}
	_ = json.NewEncoder(w).Encode(c.board.read())
}

func (c *Controller) loop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			_ = c.relay.Set(false)
			return
		case v := <-c.samples:
			st := c.board.read()
			st.Celsius = v
			c.board.write(st)
		case v := <-c.targets:
			st := c.board.read()
			st.Target = v
			c.board.write(st)
		}
		c.regulate()
	}
}

// regulate switches with half a degree of hysteresis.
func (c *Controller) regulate() {
	st := c.board.read()
	want := st.Heating
	switch {
	case st.Celsius < st.Target-0.5:
		want = true
	case st.Celsius > st.Target+0.5:
		want = false
	}
	if want == st.Heating {
		return
	}
	if err := c.relay.Set(want); err != nil {
		return // tried again with the next sample
	}
	st.Heating, st.Since = want, time.Now()
	c.board.write(st)
}
