// Package bug runs the allocations that the servers assign to a node.
package bug

import (
	"errors"
	"log"
	"os"
	"path/filepath"
	"sync"
)

// ErrUnknown is returned for allocations that this node does not run.
var ErrUnknown = errors.New("unknown allocation")

// Alloc is one assignment.
type Alloc struct {
	ID       string
	Previous string // an allocation that must end first, or empty
	MemoryMB int
	Command  []string
}

// runner runs one allocation.
type runner struct {
	alloc    *Alloc
	dir      string
	start    func(dir string, argv []string) (stop func(), err error)
	quit     chan struct{}
	quitOnce sync.Once
	done     chan struct{}
}

func newRunner(a *Alloc, base string, start func(string, []string) (func(), error)) *runner {
	return &runner{
		alloc: a,
		dir:   filepath.Join(base, a.ID),
		start: start,
		quit:  make(chan struct{}),
		done:  make(chan struct{}),
	}
}

func (r *runner) saveState() error {
	return os.MkdirAll(r.dir, 0o700)
}

func (r *runner) run() {
	defer close(r.done)
	stop, err := r.start(r.dir, r.alloc.Command)
	if err != nil {
		log.Printf("alloc %s: %v", r.alloc.ID, err)
		return
	}
	<-r.quit
	stop()
}

func (r *runner) destroy() { r.quitOnce.Do(func() { close(r.quit) }) }

// Client is the agent of one node.
type Client struct {
	base     string
	start    func(dir string, argv []string) (stop func(), err error)
	memoryMB int

	allocLock sync.RWMutex
	allocs    map[string]*runner
}

// NewClient returns a client that starts tasks with start.
func NewClient(base string, memoryMB int, start func(string, []string) (func(), error)) *Client {
	return &Client{base: base, start: start, memoryMB: memoryMB, allocs: make(map[string]*runner)}
}

// Watch starts what the servers send. An allocation that waits for another
// one is added when that one has ended.
func (c *Client) Watch(updates <-chan []*Alloc) {
	for list := range updates {
		for _, a := range list {
			if prev := c.lookup(a.Previous); prev != nil {
				go func() {
					<-prev.done
					c.logged(a, c.addAlloc(a))
				}()
				continue
			}
			c.logged(a, c.addAlloc(a))
		}
	}
}

func (c *Client) logged(a *Alloc, err error) {
	if err != nil {
		log.Printf("adding alloc %s: %v", a.ID, err)
	}
}

func (c *Client) lookup(id string) *runner {
	c.allocLock.RLock()
	defer c.allocLock.RUnlock()
	return c.allocs[id]
}

// addAlloc starts an allocation.
func (c *Client) addAlloc(a *Alloc) error {
	// Check if it is running already; the servers repeat themselves.
	c.allocLock.Lock()
	if _, ok := c.allocs[a.ID]; ok {
		c.allocLock.Unlock()
		return nil
	}
	c.allocLock.Unlock()

	c.makeRoomFor(a)

	c.allocLock.Lock()
	defer c.allocLock.Unlock()
	r := newRunner(a, c.base, c.start)
	if err := r.saveState(); err != nil {
		return err
	}
	c.allocs[a.ID] = r
	go r.run()
	return nil
}

// makeRoomFor removes the directories of ended allocations when memory is
// short.
func (c *Client) makeRoomFor(a *Alloc) {
	used := a.MemoryMB
	var ended []string
	c.allocLock.RLock()
	for _, r := range c.allocs {
		select {
		case <-r.done:
			ended = append(ended, r.dir)
		default:
			used += r.alloc.MemoryMB
		}
	}
	c.allocLock.RUnlock()
	if used <= c.memoryMB {
		return
	}
	for _, dir := range ended {
		if err := os.RemoveAll(dir); err != nil {
			log.Printf("removing %s: %v", dir, err)
		}
	}
}

// Stop ends an allocation and waits for it.
func (c *Client) Stop(id string) error {
	r := c.lookup(id)
	if r == nil {
		return ErrUnknown
	}
	r.destroy()
	<-r.done
	return nil
}
