package picker

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

type Backend struct {
	Addr   string
	Weight int
}

// Picker selects backends at random in proportion to their weights.
type Picker struct {
	reload sync.Mutex
	addrs  atomic.Pointer[[]string]
	prefix atomic.Pointer[[]int]
	picks  atomic.Int64
}

func New(bs ...Backend) *Picker {
	p := &Picker{}
	p.Update(bs)
	return p
}

// Update replaces the whole set of backends.
func (p *Picker) Update(bs []Backend) {
	addrs := make([]string, 0, len(bs))
	prefix := make([]int, 0, len(bs))
	sum := 0
	for _, b := range bs {
		if b.Weight <= 0 {
			continue
		}
		sum += b.Weight
		addrs = append(addrs, b.Addr)
		prefix = append(prefix, sum)
	}
	p.reload.Lock()
	defer p.reload.Unlock()
	p.addrs.Store(&addrs)
	p.prefix.Store(&prefix)
}

// Pick returns the address of one backend, or "" when there is none.
func (p *Picker) Pick() string {
	sums := *p.prefix.Load()
	if len(sums) == 0 {
		return ""
	}
	x := rand.IntN(sums[len(sums)-1])
	at := 0
	for at < len(sums)-1 && sums[at] <= x {
		at++
	}
	p.picks.Add(1)
	addrs := *p.addrs.Load()
	return addrs[at]
}

func (p *Picker) Picks() int64 { return p.picks.Load() }

// Watch applies every list received from updates until it is closed.
func (p *Picker) Watch(updates <-chan []Backend) {
	go func() {
		for bs := range updates {
			p.Update(bs)
		}
	}()
}
