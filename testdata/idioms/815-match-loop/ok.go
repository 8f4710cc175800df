// Package match runs one match of an arena game.
package match

import (
	"maps"
	"math"
	"sync"
	"time"
)

// TickRate is the number of simulation steps per second.
const TickRate = 30

// Vec is a position or a direction in the arena.
type Vec struct{ X, Y float64 }

// Fighter is the state of a player in a match.
type Fighter struct {
	Pos    Vec
	Health int
	Score  int
}

// Order is what a player wants to do in the next tick.
type Order struct {
	Player string
	Move   Vec
	Fire   bool
	Leave  bool
}

// View is a match as clients see it.
type View struct {
	Tick     int
	Fighters map[string]Fighter
}

// Match is a running match. Its exported methods are safe for concurrent use.
// The simulation itself runs in the goroutine that New starts.
type Match struct {
	orders chan Order
	stop   chan struct{}
	once   sync.Once

	mu       sync.RWMutex
	tick     int
	fighters map[string]Fighter
}

// New starts a match.
func New() *Match {
	m := &Match{
		orders:   make(chan Order, 256),
		stop:     make(chan struct{}),
		fighters: make(map[string]Fighter),
	}
	go m.run()
	return m
}

// Submit passes an order to the simulation. It reports false if the match is
// too busy to take it. Orders to a match that is over have no effect.
func (m *Match) Submit(o Order) bool {
	select {
	case m.orders <- o:
		return true
	default:
		return false
	}
}

// Stop ends the match.
func (m *Match) Stop() { m.once.Do(func() { close(m.stop) }) }

// View returns the state after the last tick.
func (m *Match) View() View {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return View{Tick: m.tick, Fighters: maps.Clone(m.fighters)}
}

func (m *Match) run() {
	t := time.NewTicker(time.Second / TickRate)
	defer t.Stop()
	var pending []Order
	for {
		select {
		case o := <-m.orders:
			pending = append(pending, o)
		case <-t.C:
			m.step(pending)
			pending = pending[:0]
		case <-m.stop:
			return
		}
	}
}

// step advances the simulation by one tick. The new state is worked out
// without the lock, since clients ask for views all the time.
func (m *Match) step(orders []Order) {
	v := m.View()
	for _, o := range orders {
		if o.Leave {
			delete(v.Fighters, o.Player)
			continue
		}
		f, ok := v.Fighters[o.Player]
		if !ok || f.Health <= 0 {
			f = Fighter{Pos: spawn(v.Tick), Health: 100, Score: f.Score}
		}
		f.Pos = Vec{f.Pos.X + clamp(o.Move.X), f.Pos.Y + clamp(o.Move.Y)}
		v.Fighters[o.Player] = f
		if o.Fire {
			fire(v.Fighters, o.Player)
		}
	}
	m.install(v.Tick+1, v.Fighters)
}

// install puts the state of a tick in place.
func (m *Match) install(tick int, fighters map[string]Fighter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick, m.fighters = tick, fighters
}

// fire hits everybody who stands close to the shooter.
func fire(fighters map[string]Fighter, shooter string) {
	s := fighters[shooter]
	for name, f := range fighters {
		if name == shooter || f.Health <= 0 {
			continue
		}
		if math.Hypot(f.Pos.X-s.Pos.X, f.Pos.Y-s.Pos.Y) > 5 {
			continue
		}
		f.Health -= 20
		if f.Health <= 0 {
			s.Score++
		}
		fighters[name] = f
	}
	fighters[shooter] = s
}

func spawn(tick int) Vec {
	a := float64(tick%360) * math.Pi / 180
	return Vec{40 * math.Cos(a), 40 * math.Sin(a)}
}

func clamp(x float64) float64 { return max(-1, min(1, x)) }
