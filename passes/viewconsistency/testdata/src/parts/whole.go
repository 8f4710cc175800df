package parts

import (
	"sync"
	"sync/atomic"
)

type layout struct{ width, height int }

// A Canvas has a layout that is assigned as a whole: that is to write its fields.
type Canvas struct {
	mu     sync.RWMutex
	layout layout
	dots   []uint32
}

func (c *Canvas) Resize(w, h int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.layout = layout{w, h}
	c.dots = make([]uint32, w*h)
}

func (c *Canvas) width() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.layout.width
}

// Row has a width that may be that of another layout.
func (c *Canvas) Row(y int) []uint32 {
	w := c.width()
	c.mu.RLock()
	defer c.mu.RUnlock()
	return append([]uint32(nil), c.dots[y*w:(y+1)*w]...) // want `split-read: c\.layout\.width at line \d+ and c\.dots here are read apart`
}

// A Picker has sums, and a list with as many elements.
type Picker struct {
	mu   sync.Mutex
	sums atomic.Pointer[[]int]
	list atomic.Pointer[[]string]
}

func (p *Picker) Update(sums []int, list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sums.Store(&sums)
	p.list.Store(&list)
}

// Pick counts up an index by the sums, and uses it for the list.
func (p *Picker) Pick(x int) string {
	sums := *p.sums.Load()
	i := 0
	for i < len(sums)-1 && sums[i] <= x {
		i++
	}
	list := *p.list.Load() // want `split-read: p\.sums at line \d+ and p\.list here are read apart, .* though both reach the index at line \d+`
	return list[i]
}

// First needs no index of the sums.
func (p *Picker) First(x int) (string, bool) {
	sums := *p.sums.Load()
	rounds := 0
	for rounds < len(sums) {
		rounds++
	}
	list := *p.list.Load()
	return list[0], x > 0
}
