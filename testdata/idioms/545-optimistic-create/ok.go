// Package track keeps the tracks of vehicles in memory.
package track

import (
	"hash/fnv"
	"sync"
	"sync/atomic"
)

const stripes = 64

// Point is a place at a time.
type Point struct {
	At       int64
	Lat, Lon float64
}

// Track is the track of one vehicle.
type Track struct {
	ID   uint64
	Name string

	mu     sync.Mutex
	points []Point
}

// add adds a point unless it is older than the last one.
func (t *Track) add(p Point) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.points); n > 0 && p.At <= t.points[n-1].At {
		return false
	}
	t.points = append(t.points, p)
	return true
}

// Points returns the points since a time.
func (t *Track) Points(since int64) []Point {
	t.mu.Lock()
	defer t.mu.Unlock()
	var ps []Point
	for _, p := range t.points {
		if p.At >= since {
			ps = append(ps, p)
		}
	}
	return ps
}

// stripe is a part of the tracks. A track is found by name in the stripe of
// its name, and by ID in the stripe of its ID.
type stripe struct {
	mu     sync.RWMutex
	byName map[string]*Track
	byID   map[uint64]*Track
}

// Store is safe for concurrent use. Tracks are never removed.
type Store struct {
	parts  [stripes]stripe
	lastID atomic.Uint64
	count  atomic.Int64
}

// NewStore returns an empty store.
func NewStore() *Store {
	s := &Store{}
	for i := range s.parts {
		s.parts[i].byName = make(map[string]*Track)
		s.parts[i].byID = make(map[uint64]*Track)
	}
	return s
}

func (s *Store) nameStripe(name string) *stripe {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return &s.parts[h.Sum64()%stripes]
}

func (s *Store) idStripe(id uint64) *stripe {
	return &s.parts[id%stripes]
}

// Find returns the track with the given name, or nil.
func (s *Store) Find(name string) *Track {
	p := s.nameStripe(name)
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.byName[name]
}

// ByID returns the track with the given ID, or nil. A new track can be found
// by ID when the call of Open that made it has returned.
func (s *Store) ByID(id uint64) *Track {
	p := s.idStripe(id)
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.byID[id]
}

// setUnlessSet puts t into the store unless there is a track with its name,
// which it returns then.
func (s *Store) setUnlessSet(t *Track) (*Track, bool) {
	p := s.nameStripe(t.Name)
	p.mu.Lock()
	if prev, ok := p.byName[t.Name]; ok {
		p.mu.Unlock()
		return prev, false
	}
	p.byName[t.Name] = t
	p.mu.Unlock()

	p = s.idStripe(t.ID)
	p.mu.Lock()
	p.byID[t.ID] = t
	p.mu.Unlock()
	return t, true
}

// Open returns the track with the given name and makes it if needed.
func (s *Store) Open(name string) (t *Track, created bool) {
	if t := s.Find(name); t != nil {
		return t, false
	}
	// The ID is not used if somebody else makes the same track now.
	t, created = s.setUnlessSet(&Track{
		ID:     s.lastID.Add(1),
		Name:   name,
		points: make([]Point, 0, 64),
	})
	if created {
		s.count.Add(1)
	}
	return t, created
}

// Add adds a point to a track. It returns false if the point is too old.
func (s *Store) Add(name string, p Point) bool {
	t, _ := s.Open(name)
	return t.add(p)
}

// Len returns the number of tracks. A track that is being made may be missing.
func (s *Store) Len() int {
	return int(s.count.Load())
}
