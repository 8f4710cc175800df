// Package piper_ok is IBM Airlines of Empire's Table 2 (ConTest's piper) put right:
// producers fill a plane and consumers empty it. Fill tests again after each Wait
// whether the plane is full, so what it read before Wait gave the lock up decides
// nothing.
package piper_ok

import (
	"fmt"
	"sync"
	"time"
)

// A Plane is a queue of passengers. One seat stays empty, to tell a full plane
// from an empty one.
type Plane struct {
	mu         sync.Mutex
	changed    *sync.Cond
	passengers [2]string //atomvet:set seats
	first      int       //atomvet:set seats
	last       int       //atomvet:set seats
}

func newPlane() *Plane {
	p := new(Plane)
	p.changed = sync.NewCond(&p.mu)
	return p
}

// Fill waits for a free seat and gives it to a passenger.
func (p *Plane) Fill(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for (p.last+1)%len(p.passengers) == p.first {
		p.changed.Wait()
	}
	p.passengers[p.last] = name
	p.last = (p.last + 1) % len(p.passengers)
	p.changed.Broadcast()
}

// Empty waits for a passenger and lets him off.
func (p *Plane) Empty() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.first == p.last {
		p.changed.Wait()
	}
	name := p.passengers[p.first]
	p.first = (p.first + 1) % len(p.passengers)
	p.changed.Broadcast()
	return name
}

// Run returns how many passengers were lost.
func Run() int {
	const producers, each = 3, 20
	p := newPlane()
	arrived := make(chan string, producers*each)
	for id := range producers {
		go func() {
			for i := range each {
				p.Fill(fmt.Sprintf("passenger %d of producer %d", i, id))
			}
		}()
		go func() {
			for range each {
				arrived <- p.Empty()
			}
		}()
	}

	// Consumers wait for ever for passengers that were lost.
	timeout := time.After(10 * time.Second)
	for n := range producers * each {
		select {
		case <-arrived:
		case <-timeout:
			return producers*each - n
		}
	}
	return 0
}
