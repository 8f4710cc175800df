// Package counters has counters that are loaded after an own update.
package counters

import (
	"log"
	"runtime"
	"sync/atomic"
)

type Pool struct {
	users   atomic.Int64
	turn    uint32
	served  atomic.Int64
	arrived atomic.Int64
	rounds  atomic.Int64
	idle    chan struct{}
	stop    chan struct{}
}

func NewPool() *Pool {
	p := &Pool{idle: make(chan struct{}), stop: make(chan struct{})}
	go p.round()
	return p
}

// Leave closes idle twice, if the last two leave at once.
func (p *Pool) Leave() {
	p.users.Add(-1)
	if p.users.Load() == 0 { // want `stale-use: p.users was changed at line 28, and is loaded here to learn the result, which may be that of another goroutine \(it is also changed by .*\); the operation at line 28 returns its own`
		close(p.idle)
	}
}

func (p *Pool) LeaveOnce() {
	if p.users.Add(-1) == 0 {
		close(p.idle)
	}
}

// Next gives two callers the same, and passes over another.
func (p *Pool) Next(list []string) string {
	atomic.AddUint32(&p.turn, 1)
	return list[int(atomic.LoadUint32(&p.turn))%len(list)] // want `stale-use: p.turn was changed at line 42`
}

func (p *Pool) NextOwn(list []string) string {
	return list[int(atomic.AddUint32(&p.turn, 1))%len(list)]
}

// Another result is as good if it is compared with a bound, or shown.
func (p *Pool) Serve(limit int64) {
	p.served.Add(1)
	if p.served.Load() > limit {
		select {
		case p.stop <- struct{}{}:
		default:
		}
	}
	println(p.served.Load())
}

func (p *Pool) Arrive(parties int64) {
	p.arrived.Add(1)
	for p.arrived.Load() != parties {
		runtime.Gosched()
	}
}

// One goroutine alone counts the rounds.
func (p *Pool) round() {
	for {
		p.rounds.Add(1)
		if p.rounds.Load()%16 == 0 {
			runtime.GC()
		}
		select {
		case <-p.stop:
			return
		case <-p.idle:
		}
	}
}

// Lower looks before it changes: nothing is learned about the change.
func Lower(n *int64, by int64) bool {
	if atomic.LoadInt64(n) == 0 {
		return false
	}
	atomic.AddInt64(n, -by) // want `check-then-act: n was checked at line 86`
	return true
}

// Finish asks by a getter which is the last one.
func (p *Pool) Finish() {
	p.users.Add(-1)
	if p.isIdle() { // want `stale-use: p.users was changed at line \d+, and is loaded here to learn the result`
		close(p.stop)
	}
}

func (p *Pool) isIdle() bool { return p.users.Load() == 0 }

// Busy asks by a getter for which a later result is as good.
func (p *Pool) Busy() {
	p.users.Add(1)
	if p.isCrowded() {
		close(p.stop)
	}
}

func (p *Pool) isCrowded() bool { return p.users.Load() > 100 }

// An assertion decides nothing: who finds users left fails, whoever has left last.
func (p *Pool) Close() {
	p.users.Add(-1)
	if n := p.users.Load(); n != 0 {
		panic("users are left")
	}
	close(p.stop)
}

// What is only logged decides nothing either.
func (p *Pool) Release() {
	p.users.Add(-1)
	if n := p.users.Load(); n != 0 {
		log.Printf("%d users are left", n)
	}
}
