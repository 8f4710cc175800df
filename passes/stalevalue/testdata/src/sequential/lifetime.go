package sequential

import "sync"

type rack struct {
	mu    sync.Mutex
	coats map[int]*coat
}

type coat struct{ worn chan struct{} }

func (r *rack) take(n int) {
	r.mu.Lock()
	c := r.coats[n]
	delete(r.coats, n)
	r.mu.Unlock()
	close(c.worn)
}
