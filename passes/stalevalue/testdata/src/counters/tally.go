package counters

import "sync"

// Rates are loaded, and forgotten when they change. How often they are loaded is told to nobody but a page.
type Rates struct {
	load func(region string) int

	mu    sync.Mutex
	rates map[string]int
	epoch int
	fills int
	next  int
	ids   map[string]int
}

// Lookup has loaded a rate, whatever has become of it.
func (r *Rates) Lookup(region string) int {
	r.mu.Lock()
	rate, ok := r.rates[region]
	epoch := r.epoch
	r.mu.Unlock()
	if ok {
		return rate
	}
	rate = r.load(region)
	r.mu.Lock()
	r.fills++
	if r.epoch == epoch {
		r.rates[region] = rate
	}
	r.mu.Unlock()
	return rate
}

func (r *Rates) Changed(region string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.epoch++
	delete(r.rates, region)
}

func (r *Rates) Fills() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fills
}

// Number gives a region another number, and the first one is lost.
func (r *Rates) Number(region string) {
	r.mu.Lock()
	_, ok := r.ids[region]
	r.mu.Unlock()
	if ok {
		return
	}
	r.mu.Lock()
	r.next++ // want `r.ids\[region\] was checked at line 52, .* before this write of r.next`
	r.ids[region] = r.next
	r.mu.Unlock()
}
