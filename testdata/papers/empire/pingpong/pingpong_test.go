package pingpong

import "testing"

// The ball is there when the first player looks at its speed, and in the air, hit
// by the second, when the first one takes it.
func TestBallIsLost(t *testing.T) {
	g := &Game{ball: &Ball{speed: 1}}
	inAir, taken, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var second bool
	script(t,
		func() { // the first one has looked
			go func() { defer close(done); second = g.Hit() }()
			<-inAir
		},
		func() {}, // the second one has looked
		func() { // the second one has taken the ball
			close(inAir)
			<-taken
		},
		func() { // the first one has taken no ball
			close(taken)
			<-done
		})
	first := g.Hit()
	if !first || !second || g.ball != nil {
		t.Errorf("hits %v and %v, ball %v; want both to hit, and no ball", first, second, g.ball)
	}
}

func TestBallIsMissed(t *testing.T) {
	g := &Game{ball: &Ball{speed: 1}}
	second := true
	script(t,
		func() {}, // the first one has looked
		func() { // the first one has taken the ball
			done := make(chan struct{})
			go func() { defer close(done); second = g.Hit() }()
			<-done
		})
	if first := g.Hit(); !first || second || g.ball == nil {
		t.Errorf("hits %v and %v, ball %v; want the second to miss", first, second, g.ball)
	}
}

// script runs a function at each pause. There may be further ones.
func script(t *testing.T, at ...func()) {
	t.Helper()
	t.Cleanup(func() { pause = func() {} })
	pause = func() {
		if len(at) == 0 {
			return
		}
		f := at[0]
		at = at[1:]
		f()
	}
}
