package mechanisms

import "sync"

// A Rack has places, and is filled with what another one gives.
type Rack struct {
	places int

	mu    sync.Mutex
	bikes []int
}

func (r *Rack) Free() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.free()
}

func (r *Rack) free() int { return r.places - len(r.bikes) }

func (r *Rack) Take(n int) []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n = min(n, len(r.bikes))
	out := append([]int(nil), r.bikes[:n]...)
	r.bikes = r.bikes[n:]
	return out
}

func (r *Rack) Put(in []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bikes = append(r.bikes, in...)
}

// PutSome takes what fits.
func (r *Rack) PutSome(in []int) []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(r.free(), len(in))
	r.bikes = append(r.bikes, in[:n]...)
	return in[n:]
}

// Haul measures first, and puts in later.
func Haul(from, to *Rack) {
	room := to.Free()
	if room == 0 {
		return
	}
	to.Put(from.Take(room)) // want `lost-update: to\.bikes was read at line \d+, but to\.mu was released when Free returned and what this call of Put adds is computed from a value that another goroutine may have changed`
}

// HaulSome leaves it to the rack what fits.
func HaulSome(from, to *Rack) {
	from.Put(to.PutSome(from.Take(3)))
}
