// Package sequencer is the sequencer of TuxGuitar, from the paper about context and
// witness locks (Fig. 11).
//
// Sequencer.Process holds the sequencer, and asks the player for the tick and then
// for the length of a tick. The player is only locked within each call. If
// TickPlayer.Double, which changes both, comes in between, the old tick meets the new
// length, and the sequencer is at half the time.
package sequencer

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// TickPlayer has a position in ticks, and the length of a tick.
type TickPlayer struct {
	mu           sync.Mutex
	tick, length int
}

// Double halves the length of a tick. The position stays at the same time.
func (p *TickPlayer) Double() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tick, p.length = p.tick*2, p.length/2
}

func (p *TickPlayer) Tick() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tick
}

func (p *TickPlayer) TickLength() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.length
}

type Sequencer struct {
	mu     sync.Mutex
	time   int
	player *TickPlayer
}

func (s *Sequencer) Process() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	tick := s.player.Tick()
	pause()
	length := s.player.TickLength()
	s.time = tick * length
	return s.time
}

func Run() {
	p := &TickPlayer{tick: 100, length: 8}
	s := &Sequencer{player: p}
	var wg sync.WaitGroup
	wg.Go(func() { s.Process() })
	wg.Go(p.Double)
	wg.Wait()
}
