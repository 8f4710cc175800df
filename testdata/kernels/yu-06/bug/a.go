package a

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Zone is a circle drones have to stay out of.
type Zone struct {
	ID     string    `json:"id"`
	Lat    float64   `json:"lat"`
	Lon    float64   `json:"lon"`
	Radius float64   `json:"radius"` // metres
	Until  time.Time `json:"until"`
}

func (z Zone) covers(lat, lon float64) bool {
	const perDegree = 111_320.0
	dy := (lat - z.Lat) * perDegree
	dx := (lon - z.Lon) * perDegree * math.Cos(z.Lat*math.Pi/180)
	return dx*dx+dy*dy <= z.Radius*z.Radius
}

// chart is an immutable list of zones, flight checks read it without a lock.
type chart struct {
	rev   int64
	zones []Zone
}

// Registry accepts zone updates from air traffic control.
type Registry struct {
	mu    sync.Mutex
	zones map[string]Zone
	rev   int64

	current atomic.Value // *chart
}

func NewRegistry() *Registry {
	r := &Registry{zones: make(map[string]Zone)}
	r.current.Store(&chart{})
	return r
}

func (r *Registry) chartLocked() *chart {
	c := &chart{rev: r.rev, zones: make([]Zone, 0, len(r.zones))}
	for _, z := range r.zones {
		c.zones = append(c.zones, z)
	}
	return c
}

func (r *Registry) change(edit func(zones map[string]Zone)) int64 {
	r.mu.Lock()
	edit(r.zones)
	r.rev++
	next := r.chartLocked()
	r.mu.Unlock()

	r.current.Store(next)
	return next.rev
}

// Declare adds a zone or replaces the one with the same id.
func (r *Registry) Declare(z Zone) int64 {
	return r.change(func(zones map[string]Zone) {
		zones[z.ID] = z
	})
}

func (r *Registry) Lift(id string) int64 {
	return r.change(func(zones map[string]Zone) {
		delete(zones, id)
	})
}

// Expire drops the zones that ran out, it is called once a minute.
func (r *Registry) Expire(now time.Time) int64 {
	return r.change(func(zones map[string]Zone) {
		for id, z := range zones {
			if now.After(z.Until) {
				delete(zones, id)
			}
		}
	})
}

// Allowed reports whether a drone may fly at the position.
func (r *Registry) Allowed(lat, lon float64) bool {
	c := r.current.Load().(*chart)
	for _, z := range c.zones {
		if z.covers(lat, lon) {
			return false
		}
	}
	return true
}

func (r *Registry) HandleDeclare(w http.ResponseWriter, req *http.Request) {
	var z Zone
	if err := json.NewDecoder(req.Body).Decode(&z); err != nil || z.ID == "" {
		http.Error(w, "bad zone", http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(r.Declare(z))
}

func (r *Registry) HandleCheck(w http.ResponseWriter, req *http.Request) {
	lat, err1 := strconv.ParseFloat(req.FormValue("lat"), 64)
	lon, err2 := strconv.ParseFloat(req.FormValue("lon"), 64)
	if err1 != nil || err2 != nil {
		http.Error(w, "bad position", http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(r.Allowed(lat, lon))
}
