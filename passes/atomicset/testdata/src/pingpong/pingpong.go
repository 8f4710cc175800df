// Pingpong has players who take the ball out of the game while they hit it and
// put it back then, without any lock. Between two looks of one player another
// takes the ball away, R(ball) W'(ball) R(ball), and the first one puts
// back the nothing that it found: the ball is lost.
package main

import (
	"fmt"
	"sync"
	"time"
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
	//atomvet:set ball
	ball *Ball
}

// Hit reports whether there was a ball to hit.
func (g *Game) Hit() bool {
	speed := g.ball.Speed()
	ball := g.ball
	g.ball = nil                 // want `^R\(a\) W'\(a\) W\(a\): \(\*Game\)\.Hit is not .*, if another \(\*Game\)\.Hit comes`
	time.Sleep(time.Microsecond) // the ball is in the air
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

func main() {
	missed, lost := 0, 0
	for range 20 {
		m, l := round()
		missed += m
		if l {
			lost++
		}
	}
	fmt.Println("balls missed:", missed, "lost:", lost)
}
