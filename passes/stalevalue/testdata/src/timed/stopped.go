package timed

import (
	"container/list"
	"sync"
	"time"
)

// A Pending list is swept by a timer until it is stopped.
type Pending struct {
	mu    sync.Mutex
	queue *list.List
	wake  *time.Timer
}

func (p *Pending) Add(x int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.queue == nil {
		return false
	}
	p.queue.PushBack(x)
	if p.wake == nil {
		p.wake = time.AfterFunc(time.Second, p.sweep)
	}
	return true
}

// sweep may have waited for Stop.
func (p *Pending) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.queue.Len() > 0 {
		p.queue.Remove(p.queue.Front()) // want `p.queue is used here when the time is up, but this may have begun and have waited for the lock while \(\*Pending\).Stop \(stopped.go:\d+\) stops the timer and sets it to nil: what it notes is not asked for`
	}
}

func (p *Pending) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wake != nil {
		p.wake.Stop()
		p.wake = nil
	}
	p.queue = nil
}

// A Checked list is asked for.
type Checked struct {
	mu    sync.Mutex
	queue *list.List
	wake  *time.Timer
}

func (c *Checked) Add(x int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue == nil {
		return
	}
	c.queue.PushBack(x)
	c.wake = time.AfterFunc(time.Second, c.sweepChecked)
}

func (c *Checked) sweepChecked() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue == nil {
		return
	}
	for c.queue.Len() > 0 {
		c.queue.Remove(c.queue.Front())
	}
}

func (c *Checked) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wake != nil {
		c.wake.Stop()
	}
	c.queue = nil
}
