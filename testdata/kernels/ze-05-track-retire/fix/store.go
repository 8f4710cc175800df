// Package tracks keeps the recent positions of a bus fleet in memory.
package tracks

import (
	"hash/fnv"
	"sort"
	"sync"
	"time"
)

const stripeCount = 32

// Point is one position report.
type Point struct {
	At       time.Time
	Lat, Lon float64
}

// track holds the points of one vehicle, oldest first.
type track struct {
	mu      sync.Mutex
	points  []Point
	retired bool // no longer in its stripe
}

// append adds p, which may come out of order by a little. It returns false if
// the track has been retired.
func (t *track) append(p Point) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.retired {
		return false
	}
	i := len(t.points)
	for i > 0 && t.points[i-1].At.After(p.At) {
		i--
	}
	t.points = append(t.points, Point{})
	copy(t.points[i+1:], t.points[i:])
	t.points[i] = p
	return true
}

// between copies the points of the half-open interval [from, to).
func (t *track) between(from, to time.Time) []Point {
	t.mu.Lock()
	defer t.mu.Unlock()
	lo := sort.Search(len(t.points), func(i int) bool { return !t.points[i].At.Before(from) })
	hi := sort.Search(len(t.points), func(i int) bool { return !t.points[i].At.Before(to) })
	if lo >= hi {
		return nil
	}
	return append([]Point(nil), t.points[lo:hi]...)
}

// truncate drops the points before t0. If none are left it retires the track
// and returns true.
func (t *track) truncate(t0 time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := sort.Search(len(t.points), func(i int) bool { return !t.points[i].At.Before(t0) })
	t.points = append([]Point(nil), t.points[n:]...)
	t.retired = len(t.points) == 0
	return t.retired
}

// stripe is a part of the vehicles, so that reports of different vehicles
// rarely meet on one lock.
type stripe struct {
	mu     sync.RWMutex
	tracks map[string]*track
}

// Store holds the tracks of the fleet. It is safe for concurrent use: the
// radio gateways append, the map view queries, and a janitor collects.
type Store struct {
	stripes [stripeCount]stripe
}

// NewStore returns an empty store.
func NewStore() *Store {
	s := &Store{}
	for i := range s.stripes {
		s.stripes[i].tracks = make(map[string]*track)
	}
	return s
}

func (s *Store) stripeOf(vehicle string) *stripe {
	h := fnv.New32a()
	h.Write([]byte(vehicle))
	return &s.stripes[h.Sum32()%stripeCount]
}

// track returns the track of a vehicle, making one if there is none.
func (s *Store) track(vehicle string) *track {
	st := s.stripeOf(vehicle)
	st.mu.RLock()
	t := st.tracks[vehicle]
	st.mu.RUnlock()
	if t != nil {
		return t
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if t = st.tracks[vehicle]; t == nil {
		t = &track{}
		st.tracks[vehicle] = t
	}
	return t
}

// Append records a position of the vehicle.
func (s *Store) Append(vehicle string, p Point) {
	for !s.track(vehicle).append(p) {
		// Collected since it was looked up.
	}
}

// Query returns the positions of the vehicle in [from, to).
func (s *Store) Query(vehicle string, from, to time.Time) []Point {
	st := s.stripeOf(vehicle)
	st.mu.RLock()
	t := st.tracks[vehicle]
	st.mu.RUnlock()
	if t == nil {
		return nil
	}
	return t.between(from, to)
}

// Collect drops all positions before t0 and the vehicles that have no others,
// and returns the number of vehicles dropped.
func (s *Store) Collect(t0 time.Time) int {
	n := 0
	for i := range s.stripes {
		n += s.stripes[i].collect(t0)
	}
	return n
}

func (st *stripe) collect(t0 time.Time) int {
	st.mu.Lock()
	defer st.mu.Unlock()
	n := 0
	for vehicle, t := range st.tracks {
		if t.truncate(t0) {
			delete(st.tracks, vehicle)
			n++
		}
	}
	return n
}

// RunJanitor collects once every interval until stop is closed, keeping
// positions for the given time.
func (s *Store) RunJanitor(interval, keep time.Duration, stop <-chan struct{}) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case now := <-tick.C:
			s.Collect(now.Add(-keep))
		}
	}
}
