package arena

import "sync"

// record describes one blob of a pack.
type record struct {
	name string
	loc  location
}

// pack is a run of blobs. It is immutable once it is sealed.
type pack struct {
	id      uint32
	data    []byte
	records []record
}

// packSet owns the packs; the one written to is the current pack.
type packSet struct {
	mu      sync.Mutex
	size    int
	current *pack
	packs   map[uint32]*pack
}

func newPackSet(size int) *packSet {
	p := &pack{id: 1}
	return &packSet{size: size, current: p, packs: map[uint32]*pack{1: p}}
}

// append adds a blob to the current pack and returns its place.
func (ps *packSet) append(name string, blob []byte) location {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p := ps.current
	loc := location{pack: p.id, off: len(p.data), size: len(blob)}
	p.data = append(p.data, blob...)
	p.records = append(p.records, record{name: name, loc: loc})
	return loc
}

// read copies the blob at loc. It fails when the pack is gone.
func (ps *packSet) read(loc location) ([]byte, bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p, ok := ps.packs[loc.pack]
	if !ok {
		return nil, false
	}
	return append([]byte(nil), p.data[loc.off:loc.off+loc.size]...), true
}

// roll replaces the current pack by an empty one if it has reached its size.
func (ps *packSet) roll() {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if len(ps.current.data) < ps.size {
		return
	}
	p := &pack{id: ps.current.id + 1}
	ps.packs[p.id] = p
	ps.current = p
}

// sealed returns all packs but the current one.
func (ps *packSet) sealed() []*pack {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	var list []*pack
	for _, p := range ps.packs {
		if p != ps.current {
			list = append(list, p)
		}
	}
	return list
}

// drop frees a pack.
func (ps *packSet) drop(id uint32) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	delete(ps.packs, id)
}
