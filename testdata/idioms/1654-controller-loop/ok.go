package a

import (
	"errors"
	"maps"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("controller: closed")

// View is the assignment of partitions to brokers in one epoch.
type View struct {
	Epoch   int
	Leaders map[string]string
}

type change struct {
	partition string
	leader    string
	done      chan int
}

// Controller decides which broker leads a partition.
type Controller struct {
	changes chan change
	stop    chan struct{}
	once    sync.Once

	mu   sync.RWMutex
	view View
}

// NewController starts a controller.
func NewController() *Controller {
	c := &Controller{
		changes: make(chan change),
		stop:    make(chan struct{}),
	}
	go c.run()
	return c
}

// View returns the current view. The map must not be changed.
func (c *Controller) View() View {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.view
}

// Elect makes leader the leader of the partition and returns the epoch from
// which on this holds.
func (c *Controller) Elect(partition, leader string) (int, error) {
	ch := change{partition: partition, leader: leader, done: make(chan int, 1)}
	select {
	case c.changes <- ch:
		return <-ch.done, nil
	case <-c.stop:
		return 0, ErrClosed
	}
}

// Close ends the controller.
func (c *Controller) Close() {
	c.once.Do(func() { close(c.stop) })
}

func (c *Controller) run() {
	for {
		select {
		case ch := <-c.changes:
			ch.done <- c.apply(ch)
		case <-c.stop:
			return
		}
	}
}

func (c *Controller) apply(ch change) int {
	v := c.View()
	if v.Leaders[ch.partition] == ch.leader {
		return v.Epoch
	}
	next := View{Epoch: v.Epoch + 1, Leaders: maps.Clone(v.Leaders)}
	if next.Leaders == nil {
		next.Leaders = make(map[string]string)
	}
	next.Leaders[ch.partition] = ch.leader

	c.mu.Lock()
	c.view = next
	c.mu.Unlock()
	return next.Epoch
}
