// Package sequencer_ok is the sequencer of TuxGuitar, from the paper about context
// and witness locks (Fig. 11), repaired.
//
// Sequencer.Process asks the player once, for the time.
package sequencer_ok

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

func (p *TickPlayer) Time() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	tick := p.tick
	pause()
	return tick * p.length
}

type Sequencer struct {
	mu     sync.Mutex
	time   int
	player *TickPlayer
}

func (s *Sequencer) Process() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.time = s.player.Time()
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
