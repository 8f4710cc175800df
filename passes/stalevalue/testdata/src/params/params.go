// Package params has helpers that get what they work on.
package params

import (
	"bytes"
	"maps"
	"sync"
	"sync/atomic"
)

type set map[string]bool

func (s set) has(k string) bool { return s[k] }
func (s set) add(k string)      { s[k] = true }
func (s set) drop(k string)     { delete(s, k) }

type Hub struct {
	mu    sync.Mutex
	seen  set
	names map[string]*Peer
	count map[string]int
	total int
	next  int
}

type Peer struct{ id int }

// Enter: methods of a map type.
func (h *Hub) Enter(k string) bool {
	h.mu.Lock()
	ok := h.seen.has(k)
	h.mu.Unlock()
	if ok {
		return false
	}
	h.mu.Lock()
	h.seen.add(k) // want `check-then-act: h\.seen\[k\] was checked`
	h.total++
	h.mu.Unlock()
	return true
}

func (h *Hub) Leave(k string) {
	h.mu.Lock()
	if h.seen.has(k) {
		h.seen.drop(k)
		h.total--
	}
	h.mu.Unlock()
}

// EnterOnce is right.
func (h *Hub) EnterOnce(k string) bool {
	h.mu.Lock()
	ok := h.seen.has(k)
	h.mu.Unlock()
	if ok {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seen.has(k) {
		return false
	}
	h.seen.add(k)
	h.total++
	return true
}

func lookup(m map[string]*Peer, k string) *Peer    { return m[k] }
func insert(m map[string]*Peer, k string, p *Peer) { m[k] = p }

// Peer: helpers with the map as argument.
func (h *Hub) Peer(k string) *Peer {
	h.mu.Lock()
	p := lookup(h.names, k)
	h.mu.Unlock()
	if p != nil {
		return p
	}
	h.mu.Lock()
	h.next++
	p = &Peer{h.next}
	insert(h.names, k, p) // want `check-then-act: h\.names\[k\] was checked`
	h.mu.Unlock()
	return p
}

func (h *Hub) Forget(k string) {
	h.mu.Lock()
	delete(h.names, k)
	h.mu.Unlock()
}

// Collect is right: out is the caller's.
func (h *Hub) Collect(out map[string]int) {
	h.mu.Lock()
	for k, n := range h.count {
		out[k] += n
	}
	h.mu.Unlock()
	if out["sum"] == 0 {
		h.mu.Lock()
		out["sum"] = h.total
		h.mu.Unlock()
	}
}

func (h *Hub) Report() map[string]int {
	out := map[string]int{}
	h.collect(out)
	return out
}

func (h *Hub) collect(out map[string]int) {
	h.mu.Lock()
	n := out["x"]
	h.mu.Unlock()
	if n == 0 {
		h.mu.Lock()
		out["x"] = h.total
		h.mu.Unlock()
	}
}

// Drain is right: the map is swapped out.
func (h *Hub) Drain() int {
	h.mu.Lock()
	old := h.count
	h.count = make(map[string]int)
	h.mu.Unlock()
	n := 0
	for _, c := range old {
		n += c
	}
	clearAll(old)
	return n
}

func clearAll(m map[string]int) { clear(m) }

// Merge is right: one section.
func (h *Hub) Merge(more map[string]int) {
	h.mu.Lock()
	maps.Copy(h.count, more)
	h.mu.Unlock()
}

// Bump: a counter by pointer.
func bump(mu *sync.Mutex, n *int, by int) {
	mu.Lock()
	v := *n
	mu.Unlock()
	v += by
	mu.Lock()
	*n = v // want `lost-update: n was read`
	mu.Unlock()
}

func (h *Hub) Grow()   { bump(&h.mu, &h.next, 1) }
func (h *Hub) Shrink() { bump(&h.mu, &h.next, -1) }

// raise is right.
func raise(mu *sync.Mutex, n *int, by int) {
	mu.Lock()
	*n += by
	mu.Unlock()
}

func (h *Hub) Raise() { raise(&h.mu, &h.next, 1) }

// Table of sync.Map.
func once(m *sync.Map, k string) *Peer {
	if v, ok := m.Load(k); ok {
		return v.(*Peer)
	}
	p := &Peer{int(serial.Add(1))}
	m.Store(k, p) // want `check-then-act: m\[k\] was checked`
	return p
}

var (
	serial      atomic.Int64
	left, right sync.Map
)

func Left(k string) *Peer  { return once(&left, k) }
func Right(k string) *Peer { return once(&right, k) }

// Local is right: map and lock belong to one call, and only the goroutines of it write.
func Local(keys []string) map[string]int {
	var mu sync.Mutex
	out := map[string]int{}
	var wg sync.WaitGroup
	for _, k := range keys {
		wg.Go(func() { put(&mu, out, k) })
	}
	wg.Wait()
	return out
}

func put(mu *sync.Mutex, m map[string]int, k string) {
	mu.Lock()
	m[k]++
	mu.Unlock()
}

// weight gets the table with its lock.
func weight(k string, sh map[string]*Peer, mu *sync.RWMutex) *Peer {
	mu.RLock()
	n := sh[k]
	mu.RUnlock()
	if n == nil {
		n = &Peer{int(serial.Add(1))}
		mu.Lock()
		sh[k] = n // want `check-then-act: sh\[k\] was checked`
		mu.Unlock()
	}
	return n
}

// weightOnce looks again.
func weightOnce(k string, sh map[string]*Peer, mu *sync.RWMutex) *Peer {
	mu.RLock()
	n := sh[k]
	mu.RUnlock()
	if n != nil {
		return n
	}
	mu.Lock()
	defer mu.Unlock()
	if n = sh[k]; n == nil {
		n = &Peer{int(serial.Add(1))}
		sh[k] = n
	}
	return n
}

var (
	inMu  sync.RWMutex
	in    = map[string]*Peer{}
	outMu sync.RWMutex
	out   = map[string]*Peer{}
)

func Inbound(k string) *Peer  { return weight(k, in, &inMu) }
func Outbound(k string) *Peer { return weight(k, out, &outMu) }
func Both(k string) (*Peer, *Peer) {
	return weightOnce(k, in, &inMu), weightOnce(k, out, &outMu)
}

// Sweep has the lock that the others pass.
func Sweep() {
	outMu.Lock()
	clear(out)
	outMu.Unlock()
}

// lookBuffer gets an object of another package that does not lock.
func lookBuffer(b *bytes.Buffer, mu sync.Locker) {
	mu.Lock()
	n := b.Len()
	mu.Unlock()
	if n > 4096 {
		mu.Lock()
		b.Reset() // want `check-then-act: b was checked`
		mu.Unlock()
	}
}

var (
	textMu sync.Mutex
	text   = new(bytes.Buffer)
)

func Trim() { lookBuffer(text, &textMu) }
func Say(s string) {
	textMu.Lock()
	text.WriteString(s)
	textMu.Unlock()
}

// Scale has a lock that it passes to a helper.
type Scale struct {
	mu    sync.Mutex
	grams int
}

func tare(l sync.Locker, s *Scale) {
	l.Lock()
	g := s.grams
	l.Unlock()
	l.Lock()
	s.grams = -g // want `lost-update: s\.grams was read`
	l.Unlock()
}

func (s *Scale) Tare() { tare(&s.mu, s) }

func (s *Scale) Add(n int) {
	s.mu.Lock()
	g := s.grams
	s.mu.Unlock()
	s.mu.Lock()
	s.grams = g + n // want `lost-update: s\.grams was read`
	s.mu.Unlock()
}
