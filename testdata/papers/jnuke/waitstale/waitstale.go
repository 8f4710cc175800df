// Package waitstale is the remark on wait, of "Using block-local atomicity to
// detect stale-value concurrency errors".
//
// Pool.Take reads the level before Cond.Wait, and writes the level from that after
// it. It looks like one critical section, but Wait gives the lock up. Pool.Open,
// for which Take waits, changes the level at that time, and what it filled in is
// lost.
package waitstale

import "sync"

// pause is where a test lets the other goroutine know that Take is about to wait.
var pause = func() {}

type Pool struct {
	mu    sync.Mutex
	cond  *sync.Cond
	open  bool
	level int
}

func NewPool(level int) *Pool {
	p := &Pool{level: level}
	p.cond = sync.NewCond(&p.mu)
	return p
}

// Open fills in n and lets everybody take.
func (p *Pool) Open(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.level += n
	p.open = true
	p.cond.Broadcast()
}

func (p *Pool) Level() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.level
}

func (p *Pool) Take() {
	p.mu.Lock()
	defer p.mu.Unlock()
	level := p.level
	for !p.open {
		pause()
		p.cond.Wait()
	}
	p.level = level - 1
}

func Run() {
	p := NewPool(10)
	var wg sync.WaitGroup
	wg.Go(p.Take)
	wg.Go(p.Take)
	wg.Go(func() { p.Open(5) })
	wg.Wait()
	p.Level()
}
