package early

import (
	"sync"
	"sync/atomic"
)

// Papers finds files by name and by number.
type Papers struct {
	last atomic.Uint64

	mu     sync.Mutex
	byName map[string][]*stored
	byID   map[uint64]*stored
}

type stored struct {
	id   uint64
	name string
}

func (f *Papers) find(name string) *stored {
	for _, x := range f.byName[name] {
		if x.name == name {
			return x
		}
	}
	return nil
}

func (f *Papers) Find(name string) *stored {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.find(name)
}

// enter gives up if there is one of the name.
func (f *Papers) enter(x *stored) (*stored, bool) {
	f.mu.Lock()
	if other := f.find(x.name); other != nil {
		f.mu.Unlock()
		return other, false
	}
	f.mu.Unlock()

	f.mu.Lock()
	f.byID[x.id] = x
	f.mu.Unlock()

	f.mu.Lock()
	if other := f.find(x.name); other != nil {
		f.mu.Unlock()
		f.mu.Lock()
		delete(f.byID, x.id)
		f.mu.Unlock()
		return other, false
	}
	f.byName[x.name] = append(f.byName[x.name], x)
	f.mu.Unlock()
	return x, true
}

// Register draws a number for each file that it may enter.
func (f *Papers) Register(name string) uint64 {
	if x := f.Find(name); x != nil {
		return x.id
	}
	id := f.last.Add(1)
	x, _ := f.enter(&stored{id: id, name: name})
	return x.id
}

func (f *Papers) Name(id uint64) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if x := f.byID[id]; x != nil {
		return x.name
	}
	return ""
}

// A Blockchain has blocks that each follow the one before, which another goroutine may still have to enter.
type Blockchain struct {
	last atomic.Uint64

	mu   sync.Mutex
	byID map[uint64]*block
}

type block struct{ prev string }

func (c *Blockchain) block(id uint64) *block {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byID[id]
}

func (c *Blockchain) Append(text string) {
	id := c.last.Add(1)
	prev := c.block(id - 1)
	b := &block{prev: prev.prev + text}
	c.mu.Lock()
	c.byID[id] = b // want `early-signal: c.byID\[…\] is written here, after c.last is written at line \d+`
	c.mu.Unlock()
}
