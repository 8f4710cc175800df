// Package pingpong_locked is BuggedProgram of Empire's Table 2 (ConTest's
// ping-pong) with a lock: the players take the ball out of the game while they hit
// it and put it back then. Each look and each change is locked, but not the hit as
// a whole, so it is as wrong as without locks.
//
// AV1: Hit. It looks at the ball's speed; another player takes the ball away; it
// takes the ball, which is none, and puts that back: the ball is lost.
package pingpong_locked

import "sync"

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
	speed := g.current().Speed() // AV1: the first access
	pause()
	ball := g.current() // AV1: another look
	g.replace(nil)      // want `^R\(a\) W'\(a\) W\(a\): \(\*Game\)\.Hit is not .*, if another \(\*Game\)\.Hit comes`
	pause()
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
