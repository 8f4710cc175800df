// Package pingpong_ok is BuggedProgram of Empire's Table 2 (ConTest's ping-pong)
// put right: the players take the ball out of the game while they hit it and put
// it back then. A hit is one critical section, so nobody sees the game without its
// ball.
package pingpong_ok

import (
	"sync"
	"time"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

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

// Hit reports whether there was a ball to hit.
func (g *Game) Hit() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	speed := g.ball.Speed()
	pause()
	ball := g.ball
	g.ball = nil
	time.Sleep(time.Microsecond) // the ball is in the air
	pause()
	g.ball = ball
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
			for range 20 {
				if !g.Hit() {
					misses[i]++
				}
			}
		}()
	}
	wg.Wait()
	return misses[0] + misses[1], g.ball == nil
}

// Run plays some rounds and returns how often the players missed, and how many
// balls were lost.
func Run() (missed, lost int) {
	for range 20 {
		m, l := round()
		missed += m
		if l {
			lost++
		}
	}
	return missed, lost
}
