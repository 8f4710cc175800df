package stalevalue

// fillsOutdated: a cache is filled with what a store has answered before, while others change the store and remove from the
// cache.
//
//	v, ok := s.cached(k)          // under s.mu
//	if !ok {
//		v = s.db.Fetch(k)         // others: s.db.Save(k, v); s.mu.Lock(); delete(s.cache, k); s.mu.Unlock()
//		s.mu.Lock(); s.cache[k] = v; s.mu.Unlock()
//	}
//
// The removal finds nothing there yet, and what is put in afterwards is what the store had before. A claim of the key keeps
// out others who fill it, and nobody who removes.
func (p *pair) fillsOutdated() bool {
	return !p.data && p.decides && (p.foundNothing() || p.toldNothing()) && len(p.invalidations()) > 0
}
