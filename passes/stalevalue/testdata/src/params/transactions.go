package params

import (
	"slices"
	"sync"
)

// A Zone gives its table to the functions that it runs under its lock.
type Zone struct {
	mu      sync.RWMutex
	records map[string][]string
	serial  int
}

func (z *Zone) view(fn func(records map[string][]string)) {
	z.mu.RLock()
	defer z.mu.RUnlock()
	fn(z.records)
}

func (z *Zone) update(fn func(records map[string][]string) bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if fn(z.records) {
		z.serial++
	}
}

// Register puts in a list that it has made of an old one.
func (z *Zone) Register(host, addr string) {
	var addrs []string
	z.view(func(records map[string][]string) { addrs = slices.Clone(records[host]) })
	addrs = append(addrs, addr)
	z.update(func(records map[string][]string) bool {
		records[host] = addrs // want `lost-update: z\.records\[host\] was read at line \d+, but z\.mu was released when view returned`
		return true
	})
}

// RegisterAtOnce does it in one section.
func (z *Zone) RegisterAtOnce(host, addr string) {
	z.update(func(records map[string][]string) bool {
		addrs := slices.Clone(records[host])
		records[host] = append(addrs, addr)
		return true
	})
}

func (z *Zone) Deregister(host string) {
	z.update(func(records map[string][]string) bool {
		if _, ok := records[host]; !ok {
			return false
		}
		delete(records, host)
		return true
	})
}
