package a

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrNoPass = errors.New("lift: unknown pass")
	ErrUsedUp = errors.New("lift: no rides left")
)

type pass struct {
	rides int
	until time.Time
}

type scan struct {
	card string
	lane int
	ok   bool
}

// Gate is the turnstile at the bottom of a ski lift.
type Gate struct {
	turn func(lane int) error

	mu     sync.Mutex
	passes map[string]pass
	scans  []scan
}

func NewGate(turn func(lane int) error) *Gate {
	return &Gate{turn: turn, passes: make(map[string]pass)}
}

// Sell adds rides to a card.
func (g *Gate) Sell(card string, rides int, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.passes[card]
	p.rides += rides
	p.until = until
	g.passes[card] = p
}

func (g *Gate) lookup(card string) (pass, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, ok := g.passes[card]
	return p, ok
}

func (g *Gate) note(card string, lane int, ok bool) {
	g.scans = append(g.scans, scan{card: card, lane: lane, ok: ok})
}

// Ride lets the owner of the card through and tells how many rides are left.
func (g *Gate) Ride(card string, lane int) (left int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, ok := g.passes[card]
	if !ok || time.Now().After(p.until) {
		return 0, ErrNoPass
	}
	defer func() {
		g.note(card, lane, err == nil)
		if err == nil {
			p.rides--
			left = p.rides
			g.passes[card] = p
		}
	}()
	if p.rides <= 0 {
		return 0, ErrUsedUp
	}
	return p.rides, g.turn(lane)
}

// Left tells how many rides the card has.
func (g *Gate) Left(card string) int {
	p, _ := g.lookup(card)
	return p.rides
}

// Rejected counts the scans that did not open the gate.
func (g *Gate) Rejected() (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.scans {
		if !s.ok {
			n++
		}
	}
	return n
}
