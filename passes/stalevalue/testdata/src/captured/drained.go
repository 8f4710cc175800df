package captured

import (
	"maps"
	"sync"
)

// A Meter has its state in variables that its functions share.
type Meter struct {
	Record func(string, int)
	Flush  func(func(map[string]int))
	Take   func(func(map[string]int))
}

// NewMeter returns a meter whose Flush forgets what is recorded while it ships.
func NewMeter() *Meter {
	var (
		mu     sync.Mutex
		totals = make(map[string]int)
	)
	return &Meter{
		Record: func(name string, n int) {
			mu.Lock()
			defer mu.Unlock()
			totals[name] += n
		},
		Flush: func(ship func(map[string]int)) {
			mu.Lock()
			batch := maps.Clone(totals)
			mu.Unlock()
			ship(batch)
			mu.Lock()
			clear(totals) // want `lost-update: totals was read at line \d+`
			mu.Unlock()
		},
		Take: func(ship func(map[string]int)) {
			mu.Lock()
			batch := maps.Clone(totals)
			clear(totals)
			mu.Unlock()
			ship(batch)
		},
	}
}
