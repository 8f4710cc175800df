// Package world keeps the entities of a game server in recycled slots.
package world

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	// ErrFull is returned when all slots are taken.
	ErrFull = errors.New("world: full")
	// ErrGone is returned for entities that are no longer there.
	ErrGone = errors.New("world: entity gone")
)

// EntityID is never used twice.
type EntityID uint64

// Stats are the numbers an entity is born with.
type Stats struct {
	HP    int
	Armor int
}

type slot struct {
	mu    sync.Mutex
	owner EntityID // zero when free
	stats Stats
	dead  bool
}

// occupy prepares a free slot for an entity.
func (s *slot) occupy(id EntityID, st Stats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owner, s.stats, s.dead = id, st, false
}

func (s *slot) vacate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owner, s.stats, s.dead = 0, Stats{}, false
}

func (s *slot) isDead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead
}

func (s *slot) hit(raw int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return 0, ErrGone
	}
	dmg := max(raw-s.stats.Armor, 1)
	s.stats.HP -= dmg
	if s.stats.HP <= 0 {
		s.dead = true
	}
	return dmg, nil
}

// World is a fixed number of slots.
type World struct {
	slots []slot

	mu     sync.RWMutex
	lastID EntityID
	index  map[EntityID]int
	free   []int
}

// New returns a world with room for n entities.
func New(n int) *World {
	w := &World{slots: make([]slot, n), index: make(map[EntityID]int, n)}
	for i := n - 1; i >= 0; i-- {
		w.free = append(w.free, i)
	}
	return w
}

// Spawn places a new entity.
func (w *World) Spawn(st Stats) (EntityID, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.free) == 0 {
		return 0, ErrFull
	}
	i := w.free[len(w.free)-1]
	w.free = w.free[:len(w.free)-1]
	w.lastID++
	w.slots[i].occupy(w.lastID, st)
	w.index[w.lastID] = i
	return w.lastID, nil
}

// Despawn removes an entity.
func (w *World) Despawn(id EntityID) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.remove(id) {
		return ErrGone
	}
	return nil
}

// remove frees the slot of an entity. w.mu is held.
func (w *World) remove(id EntityID) bool {
	i, ok := w.index[id]
	if !ok {
		return false
	}
	delete(w.index, id)
	w.slots[i].vacate()
	w.free = append(w.free, i)
	return true
}

func (w *World) slotOf(id EntityID) (*slot, error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	i, ok := w.index[id]
	if !ok {
		return nil, ErrGone
	}
	return &w.slots[i], nil
}

// Damage hits an entity and returns the damage after armor.
func (w *World) Damage(id EntityID, raw int) (int, error) {
	s, err := w.slotOf(id)
	if err != nil {
		return 0, err
	}
	return s.hit(raw)
}

// sweep removes the dead and returns who they were.
func (w *World) sweep() []EntityID {
	w.mu.Lock()
	defer w.mu.Unlock()
	var gone []EntityID
	for id, i := range w.index {
		if w.slots[i].isDead() {
			gone = append(gone, id)
		}
	}
	for _, id := range gone {
		w.remove(id)
	}
	return gone
}

// Run sweeps once a tick until ctx ends.
func (w *World) Run(ctx context.Context, tick time.Duration, died func(EntityID)) {
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			for _, id := range w.sweep() {
				died(id)
			}
		}
	}
}
