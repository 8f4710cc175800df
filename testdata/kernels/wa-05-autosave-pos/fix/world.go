package world

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// Unit is a piece on the map. It is always on a passable field, which it may
// share with others.
type Unit struct {
	mu   sync.Mutex
	x, y int
	hp   int
}

func (u *Unit) pos() (x, y int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.x, u.y
}

func (u *Unit) place(x, y int) {
	u.mu.Lock()
	u.x, u.y = x, y
	u.mu.Unlock()
}

// Move is an order checked by the rules: the target is passable.
type Move struct {
	Unit string
	X, Y int
}

type World struct {
	mu    sync.RWMutex
	units map[string]*Unit
}

func New() *World { return &World{units: make(map[string]*Unit)} }

// Spawn adds a unit unless there is one of that name.
func (w *World) Spawn(name string, x, y int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.units[name] != nil {
		return false
	}
	w.units[name] = &Unit{x: x, y: y, hp: 100}
	return true
}

// Play carries out moves until there are no more.
func (w *World) Play(moves <-chan Move) {
	for m := range moves {
		w.mu.RLock()
		u := w.units[m.Unit]
		w.mu.RUnlock()
		if u != nil {
			u.place(m.X, m.Y)
		}
	}
}

type savedUnit struct {
	Name string
	X, Y int
}

// Save writes the units and where they stand.
func (w *World) Save(out io.Writer) error {
	var saved []savedUnit
	w.mu.RLock()
	for name, u := range w.units {
		x, y := u.pos()
		saved = append(saved, savedUnit{
			Name: name,
			X:    x,
			Y:    y,
		})
	}
	w.mu.RUnlock()
	return json.NewEncoder(out).Encode(saved)
}

// Start plays the moves and saves the game now and then.
func (w *World) Start(ctx context.Context, moves <-chan Move, every time.Duration, out io.Writer) {
	go w.Play(moves)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := w.Save(out); err != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
}
