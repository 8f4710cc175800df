// Package told has flags that are set together with what they tell of.
package told

import (
	"context"
	"sync"
)

// A Kiln glows in some color until it breaks down.
type Kiln struct {
	mu     sync.Mutex
	broken bool
	glow   string
	heats  int
}

func (k *Kiln) set(glow string) {
	if k.glow == glow {
		return
	}
	k.glow = glow
}

func (k *Kiln) isBroken() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.broken
}

func (k *Kiln) Cool()  { k.mu.Lock(); k.set("grey"); k.mu.Unlock() }
func (k *Kiln) Load()  { k.mu.Lock(); k.set("dark"); k.mu.Unlock() }
func (k *Kiln) Open()  { k.mu.Lock(); k.set("dull"); k.mu.Unlock() }
func (k *Kiln) Vent()  { k.mu.Lock(); k.set("pale"); k.mu.Unlock() }
func (k *Kiln) Break() { k.mu.Lock(); k.broken = true; k.set("none"); k.heats = 0; k.mu.Unlock() }

// Heat overwrites what Break has left. That set compares the color is no second look.
func (k *Kiln) Heat() {
	if k.isBroken() {
		return
	}
	k.mu.Lock()
	k.set("red") // want `check-then-act: k\.broken was checked at line 39`
	k.mu.Unlock()
}

// HeatIf looks again.
func (k *Kiln) HeatIf() {
	if k.isBroken() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.broken {
		k.set("red")
	}
}

// Count only counts.
func (k *Kiln) Count() {
	if !k.isBroken() {
		k.mu.Lock()
		k.heats++
		k.mu.Unlock()
	}
}

// A Conn has a context for a flag.
type Conn struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelFunc
	state  int
}

func NewConn() *Conn {
	c := new(Conn)
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

func (c *Conn) Idle()  { c.mu.Lock(); c.state = 1; c.mu.Unlock() }
func (c *Conn) Ready() { c.mu.Lock(); c.state = 2; c.mu.Unlock() }
func (c *Conn) Stop()  { c.mu.Lock(); c.state = 3; c.cancel(); c.mu.Unlock() }

func (c *Conn) Fail() {
	if c.ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	c.state = 4 // want `check-then-act: c\.ctx\.done was checked at line 84`
	c.mu.Unlock()
}

func (c *Conn) FailLocked() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() == nil {
		c.state = 4
	}
}

// FailIn gives the context to a function that asks it by itself.
func (c *Conn) FailIn() {
	if c.ctx.Err() == nil {
		c.fail(c.ctx)
	}
}

func (c *Conn) fail(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() == nil {
		c.state = 4
	}
}
