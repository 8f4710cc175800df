package a

import (
	"fmt"
	"sync"
	"time"
)

type Guarded[T any] struct {
	mu sync.Mutex
	v  T
}

func (g *Guarded[T]) Get() T {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.v
}

func (g *Guarded[T]) Set(v T) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.v = v
}

func (g *Guarded[T]) Update(fn func(*T)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	fn(&g.v)
}

type Status struct {
	Battery  int
	Lat, Lon float64
	Mission  string
	Since    time.Time
	Grounded bool
}

type Fleet struct {
	drones  map[string]*Guarded[Status]
	minimum int
}

func NewFleet(minimum int, ids ...string) *Fleet {
	f := &Fleet{drones: make(map[string]*Guarded[Status], len(ids)), minimum: minimum}
	for _, id := range ids {
		f.drones[id] = &Guarded[Status]{}
	}
	return f
}

func (f *Fleet) Telemetry(id string, battery int, lat, lon float64) {
	d, ok := f.drones[id]
	if !ok {
		return
	}
	d.Update(func(st *Status) {
		st.Battery = battery
		st.Lat, st.Lon = lat, lon
		if battery < f.minimum/2 {
			st.Grounded = true
		}
	})
}

func (f *Fleet) Launch(id, mission string) error {
	d, ok := f.drones[id]
	if !ok {
		return fmt.Errorf("fleet: unknown drone %q", id)
	}
	st := d.Get()
	if st.Mission != "" {
		return fmt.Errorf("fleet: %s flies mission %s", id, st.Mission)
	}
	if st.Grounded || st.Battery < f.minimum {
		return fmt.Errorf("fleet: %s is not fit to fly", id)
	}
	st.Mission = mission
	st.Since = time.Now()
	d.Set(st)
	return nil
}

func (f *Fleet) Landed(id string) {
	if d, ok := f.drones[id]; ok {
		d.Update(func(st *Status) { st.Mission = "" })
	}
}

func (f *Fleet) Status(id string) (Status, bool) {
	d, ok := f.drones[id]
	if !ok {
		return Status{}, false
	}
	return d.Get(), true
}

func (f *Fleet) Airborne() int {
	n := 0
	for _, d := range f.drones {
		if d.Get().Mission != "" {
			n++
		}
	}
	return n
}
