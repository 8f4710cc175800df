// Package zonegrid keeps the entities of a game world and an index of them by
// zone, for interest management.
package zonegrid

import (
	"sync"
)

// ID names an entity.
type ID uint64

// Zone is a square of the grid.
type Zone struct{ X, Y int32 }

// Input is a movement that a client reports.
type Input struct {
	Entity ID
	X, Y   float64
}

type entity struct {
	x, y float64
	zone Zone
}

// World is the state of one shard. Every client connection has a goroutine of
// its own that calls into it.
type World struct {
	cell float64

	mu       sync.RWMutex
	entities map[ID]*entity
	grid     map[Zone]map[ID]struct{}
}

// NewWorld returns an empty world with zones of the given edge length.
func NewWorld(cell float64) *World {
	return &World{
		cell:     cell,
		entities: make(map[ID]*entity),
		grid:     make(map[Zone]map[ID]struct{}),
	}
}

func (w *World) zoneAt(x, y float64) Zone {
	return Zone{X: int32(x / w.cell), Y: int32(y / w.cell)}
}

func (w *World) link(id ID, z Zone) {
	set := w.grid[z]
	if set == nil {
		set = make(map[ID]struct{})
		w.grid[z] = set
	}
	set[id] = struct{}{}
}

func (w *World) unlink(id ID, z Zone) {
	set := w.grid[z]
	delete(set, id)
	if len(set) == 0 {
		delete(w.grid, z)
	}
}

// Spawn puts an entity into the world.
func (w *World) Spawn(id ID, x, y float64) bool {
	z := w.zoneAt(x, y)
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.entities[id]; ok {
		return false
	}
	w.entities[id] = &entity{x: x, y: y, zone: z}
	w.link(id, z)
	return true
}

// Despawn takes an entity out of the world.
func (w *World) Despawn(id ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e, ok := w.entities[id]
	if !ok {
		return
	}
	delete(w.entities, id)
	w.unlink(id, e.zone)
}

// Move sets the position of an entity.
func (w *World) Move(id ID, x, y float64) bool {
	to := w.zoneAt(x, y)
	w.mu.Lock()
	defer w.mu.Unlock()
	e, ok := w.entities[id]
	if !ok {
		return false
	}
	from := e.zone
	e.x, e.y, e.zone = x, y, to

	if from != to {
		w.reindex(id, from, to)
	}
	return true
}

func (w *World) reindex(id ID, from, to Zone) {
	w.unlink(id, from)
	w.link(id, to)
}

// Near lists the entities in the zone of (x, y) and the eight around it.
func (w *World) Near(x, y float64) []ID {
	c := w.zoneAt(x, y)
	w.mu.RLock()
	defer w.mu.RUnlock()
	var ids []ID
	for dx := int32(-1); dx <= 1; dx++ {
		for dy := int32(-1); dy <= 1; dy++ {
			for id := range w.grid[Zone{c.X + dx, c.Y + dy}] {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Position returns where an entity is.
func (w *World) Position(id ID) (x, y float64, ok bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	e, ok := w.entities[id]
	if !ok {
		return 0, 0, false
	}
	return e.x, e.y, true
}

// Serve applies the inputs of one connection until it ends.
func (w *World) Serve(in <-chan Input) {
	for i := range in {
		w.Move(i.Entity, i.X, i.Y)
	}
}
