package task

import (
	"context"
	"sync"
)

// Event is the number of OOM kills in a cgroup so far.
type Event struct{ OOMKill uint64 }

// Cgroup limits the memory of a container. Events are sent to those who listen
// when they happen.
type Cgroup struct {
	mu        sync.Mutex
	memory    uint64
	limit     uint64
	oomKill   uint64
	listeners []chan Event
	deleted   bool
}

// NewCgroup returns a cgroup with a limit.
func NewCgroup(limit uint64) *Cgroup { return &Cgroup{limit: limit} }

// Charge adds memory. It returns false, and notifies the listeners, if this
// kills the process.
func (c *Cgroup) Charge(n uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.memory+n <= c.limit {
		c.memory += n
		return true
	}
	c.oomKill++
	for _, ch := range c.listeners {
		select {
		case ch <- Event{OOMKill: c.oomKill}:
		default:
		}
	}
	return false
}

// EventChan returns a channel that is closed when the cgroup is deleted.
func (c *Cgroup) EventChan() <-chan Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan Event, 16)
	if c.deleted {
		close(ch)
		return ch
	}
	c.listeners = append(c.listeners, ch)
	return ch
}

// Delete closes the channels.
func (c *Cgroup) Delete() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deleted {
		return
	}
	c.deleted = true
	for _, ch := range c.listeners {
		close(ch)
	}
	c.listeners = nil
}

// Runtime creates and starts processes. The process of a container is paused
// until it is started; it may charge memory from then on.
type Runtime interface {
	Create(ctx context.Context, id string) (*Cgroup, error)
	Start(ctx context.Context, id string) (pid int, err error)
}

// Container is a container with a process.
type Container struct {
	ID     string
	cgroup *Cgroup
}

// OOMWatch calls eventf, in another goroutine, each time the process is killed
// for want of memory.
func (c *Container) OOMWatch(eventf func(string)) {
	eventCh := c.cgroup.EventChan()
	go func() {
		var oomKills uint64
		for ev := range eventCh {
			if ev.OOMKill > oomKills {
				oomKills = ev.OOMKill
				eventf(c.ID)
			}
		}
	}()
}
