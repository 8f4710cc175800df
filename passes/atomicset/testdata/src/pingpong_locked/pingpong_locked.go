// Pingpong_locked has players who take the ball out of the game while they hit
// it and put it back then. Each look and each change is locked, but not the hit
// as a whole, so it is as wrong as without locks: R(ball) W'(ball) R(ball),
// and the player puts back the nothing that it found.
package main

import (
	"fmt"
	"sync"
)

// A Ball can be hit.
type Ball struct{ speed int }

// Speed returns the ball's speed. No ball is not moving.
func (b *Ball) Speed() int {
	if b == nil {
		return 0
	}
	return b.speed
}

// A Game is played with one ball.
type Game struct {
	mu sync.Mutex
	//atomvet:set ball
	ball *Ball
}

func (g *Game) current() *Ball {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ball
}

func (g *Game) replace(b *Ball) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ball = b
}

// Hit reports whether there was a ball to hit.
func (g *Game) Hit() bool {
	speed := g.current().Speed()
	ball := g.current()
	g.replace(nil) // want `^R\(a\) W'\(a\) W\(a\): \(\*Game\)\.Hit is not .*, if another \(\*Game\)\.Hit comes`
	g.replace(ball)
	return speed > 0
}

// round reports how often the players missed, and whether the ball is lost.
func round() (missed int, lost bool) {
	g := &Game{ball: &Ball{speed: 1}}
	var wg sync.WaitGroup
	misses := make([]int, 2)
	for i := range misses {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 1000 {
				if !g.Hit() {
					misses[i]++
				}
			}
		}()
	}
	wg.Wait()
	return misses[0] + misses[1], g.current() == nil
}

func main() {
	missed, lost := 0, 0
	for range 200 {
		m, l := round()
		missed += m
		if l {
			lost++
		}
	}
	fmt.Println("balls missed:", missed, "lost:", lost)
}
