// Package world simulates the units of a game.
package world

import "sync"

type unit struct {
	mu   sync.Mutex
	id   uint64
	hp   int
	x, y int
}

// World has all units. Each player's connection has its own goroutine.
type World struct {
	pool sync.Pool // of *unit; there are many short-lived ones

	mu    sync.RWMutex
	seq   uint64
	units map[uint64]*unit
}

// New returns an empty world.
func New() *World {
	w := &World{units: make(map[uint64]*unit)}
	w.pool.New = func() any { return new(unit) }
	return w
}

// Spawn makes a unit.
func (w *World) Spawn(hp, x, y int) uint64 {
	u := w.pool.Get().(*unit)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seq++
	u.mu.Lock()
	u.id, u.hp, u.x, u.y = w.seq, hp, x, y
	u.mu.Unlock()
	w.units[w.seq] = u
	return w.seq
}

func (w *World) unit(id uint64) *unit {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.units[id]
}

// Hit takes hit points from a unit and returns what it has left.
func (w *World) Hit(id uint64, damage int) (left int, ok bool) {
	u := w.unit(id)
	if u == nil {
		return 0, false
	}
	u.mu.Lock()
	if u.id != id {
		u.mu.Unlock()
		return 0, false
	}
	u.hp -= damage
	left = u.hp
	u.mu.Unlock()
	if left <= 0 {
		w.Despawn(id)
	}
	return left, true
}

// Despawn removes a unit.
func (w *World) Despawn(id uint64) {
	w.mu.Lock()
	u, ok := w.units[id]
	delete(w.units, id)
	w.mu.Unlock()
	if ok {
		w.pool.Put(u)
	}
}

// Near returns the units within some distance of a place.
func (w *World) Near(x, y, dist int) (ids []uint64) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, u := range w.units {
		u.mu.Lock()
		id, dx, dy := u.id, u.x-x, u.y-y
		u.mu.Unlock()
		if dx*dx+dy*dy <= dist*dist {
			ids = append(ids, id)
		}
	}
	return ids
}
