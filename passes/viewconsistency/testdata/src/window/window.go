// Package window has pointers that are cleared and set again in two sections.
package window

import "sync"

type needle struct{ x int }

// At of a Player does not ask whether there is a needle.
type Player struct {
	life   sync.Mutex
	mu     sync.RWMutex
	needle *needle
}

func (p *Player) At() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.needle.x
}

func (p *Player) lift() {
	p.mu.Lock()
	p.needle = nil
	p.mu.Unlock()
}

func (p *Player) drop(n *needle) {
	p.mu.Lock()
	p.needle = n
	p.mu.Unlock()
}

func (p *Player) Swap() {
	p.life.Lock()
	defer p.life.Unlock()
	p.lift()
	p.drop(&needle{}) // want `split-write: p\.needle is nil from line 36 until it is set here, in a separate critical section; \(\*Player\)\.At`
}

func (p *Player) SwapInLine(n *needle) {
	p.mu.Lock()
	p.needle = nil
	p.mu.Unlock()
	println("swapping")
	p.mu.Lock()
	p.needle = n // want `split-write: p\.needle is nil from line 42`
	p.mu.Unlock()
}

func (p *Player) SwapAtOnce(n *needle) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.needle = nil
	println("swapping")
	p.needle = n
}

// At of a Deck asks.
type Deck struct {
	mu     sync.RWMutex
	needle *needle
}

func (d *Deck) At() int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.needle == nil {
		return -1
	}
	return d.needle.x
}

func (d *Deck) Swap(n *needle) {
	d.mu.Lock()
	d.needle = nil
	d.mu.Unlock()
	d.mu.Lock()
	d.needle = n
	d.mu.Unlock()
}

// At of a Box waits for the swap.
type Box struct {
	life   sync.Mutex
	mu     sync.RWMutex
	needle *needle
}

func (b *Box) At() int {
	b.life.Lock()
	defer b.life.Unlock()
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.needle.x
}

func (b *Box) Swap(n *needle) {
	b.life.Lock()
	defer b.life.Unlock()
	b.mu.Lock()
	b.needle = nil
	b.mu.Unlock()
	b.mu.Lock()
	b.needle = n
	b.mu.Unlock()
}

// A Lamp is off at times. At is only called while it is on.
type Lamp struct {
	mu     sync.RWMutex
	needle *needle
}

func (l *Lamp) At() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.needle.x
}

func (l *Lamp) Off() {
	l.mu.Lock()
	l.needle = nil
	l.mu.Unlock()
}

func (l *Lamp) Swap(n *needle) {
	l.Off()
	l.mu.Lock()
	l.needle = n
	l.mu.Unlock()
}
