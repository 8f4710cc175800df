package a

import (
	"encoding/json"
	"log"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
)

type Cell struct {
	X, Y int
}

// Area is a restricted area given as grid cells.
type Area struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Cells  []Cell `json:"cells"`
}

// grid is built once and then only read.
type grid struct {
	version uint64
	blocked map[Cell]string
}

// Airspace answers position checks of drones against the restricted areas.
type Airspace struct {
	mu      sync.Mutex
	areas   map[string]Area
	version uint64

	live    atomic.Pointer[grid]
	changed chan struct{}
}

func NewAirspace() *Airspace {
	a := &Airspace{areas: make(map[string]Area), changed: make(chan struct{}, 1)}
	a.live.Store(&grid{})
	return a
}

func compile(version uint64, areas []Area) *grid {
	g := &grid{version: version, blocked: make(map[Cell]string)}
	for _, area := range areas {
		for _, c := range area.Cells {
			g.blocked[c] = area.Reason
		}
	}
	return g
}

// install makes the grid visible to the checks.
func (a *Airspace) install(g *grid) bool {
	for {
		cur := a.live.Load()
		if cur.version >= g.version {
			return false
		}
		if a.live.CompareAndSwap(cur, g) {
			return true
		}
	}
}

func (a *Airspace) edit(fn func(areas map[string]Area)) uint64 {
	a.mu.Lock()
	fn(a.areas)
	a.version++
	version := a.version
	list := make([]Area, 0, len(a.areas))
	for _, area := range a.areas {
		list = append(list, area)
	}
	a.mu.Unlock()

	if !a.install(compile(version, list)) {
		log.Printf("airspace: version %d was overtaken", version)
		return version
	}
	select {
	case a.changed <- struct{}{}:
	default:
	}
	return version
}

// Changed wakes up the broadcaster, which then looks at the live grid.
func (a *Airspace) Changed() <-chan struct{} { return a.changed }

func (a *Airspace) Restrict(area Area) uint64 {
	return a.edit(func(areas map[string]Area) { areas[area.ID] = area })
}

func (a *Airspace) Release(id string) uint64 {
	return a.edit(func(areas map[string]Area) { delete(areas, id) })
}

// Check returns the reason why a cell is closed, and the version it is
// based on.
func (a *Airspace) Check(c Cell) (reason string, version uint64) {
	g := a.live.Load()
	return g.blocked[c], g.version
}

func (a *Airspace) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPut:
		var area Area
		if err := json.NewDecoder(r.Body).Decode(&area); err != nil || area.ID == "" {
			http.Error(w, "bad area", http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(a.Restrict(area))
	case http.MethodDelete:
		_ = json.NewEncoder(w).Encode(a.Release(r.FormValue("id")))
	case http.MethodGet:
		x, err1 := strconv.Atoi(r.FormValue("x"))
		y, err2 := strconv.Atoi(r.FormValue("y"))
		if err1 != nil || err2 != nil {
			http.Error(w, "bad cell", http.StatusBadRequest)
			return
		}
		reason, version := a.Check(Cell{x, y})
		_ = json.NewEncoder(w).Encode(map[string]any{"closed": reason != "", "reason": reason, "version": version})
	}
}
