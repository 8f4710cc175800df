// Package tide distributes the water levels of a tide gauge to the harbour's
// displays and models.
package tide

import (
	"errors"
	"sort"
	"sync"
	"time"
)

// ErrTooOld says that the journal no longer reaches back to the wanted level.
var ErrTooOld = errors.New("tide: position is older than the journal")

// Level is one measurement. Seq counts the measurements of a station from 1
// without holes.
type Level struct {
	Seq uint64
	At  time.Time
	Cm  int
}

// Follower receives the levels of a station in order. C is closed when the
// follower is detached, either by its own wish or because it fell behind.
type Follower struct {
	C <-chan Level

	c      chan Level
	lagged bool
	gone   bool
}

// Station keeps the recent levels of one gauge and passes new ones on. It is
// safe for concurrent use.
type Station struct {
	name string
	keep int

	mu        sync.Mutex
	last      uint64
	journal   []Level
	followers map[*Follower]struct{}
}

// NewStation returns a station that remembers the latest keep levels.
func NewStation(name string, keep int) *Station {
	if keep < 1 {
		keep = 1
	}
	return &Station{name: name, keep: keep, followers: make(map[*Follower]struct{})}
}

// Name returns the name of the gauge.
func (s *Station) Name() string { return s.name }

// Publish records a measurement and passes it to all followers.
func (s *Station) Publish(at time.Time, cm int) Level {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	l := Level{Seq: s.last, At: at, Cm: cm}
	s.journal = append(s.journal, l)
	if over := len(s.journal) - s.keep; over > 0 {
		s.journal = append(s.journal[:0:0], s.journal[over:]...)
	}
	for f := range s.followers {
		select {
		case f.c <- l:
		default:
			f.lagged = true
			s.drop(f)
		}
	}
	return l
}

// Follow returns the levels after seq that the journal holds, and a follower
// on which the ones after those arrive. Use 0 to start with everything there
// is; a display that reconnects passes the last Seq it has drawn. buffer is
// how many levels the follower may be behind before it is detached.
func (s *Station) Follow(seq uint64, buffer int) ([]Level, *Follower, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	backlog, err := s.since(seq)
	if err != nil {
		return nil, nil, err
	}
	return backlog, s.attach(buffer), nil
}

// since returns a copy of the journal after seq. The caller holds s.mu.
func (s *Station) since(seq uint64) ([]Level, error) {
	if len(s.journal) == 0 {
		return nil, nil
	}
	if seq != 0 && seq+1 < s.journal[0].Seq {
		return nil, ErrTooOld
	}
	i := sort.Search(len(s.journal), func(i int) bool { return s.journal[i].Seq > seq })
	return append([]Level(nil), s.journal[i:]...), nil
}

// attach adds a new follower. The caller holds s.mu.
func (s *Station) attach(buffer int) *Follower {
	c := make(chan Level, max(buffer, 1))
	f := &Follower{C: c, c: c}
	s.followers[f] = struct{}{}
	return f
}

// Unfollow detaches f. It may be called more than once, and reports whether
// the station had detached f before because it fell behind.
func (s *Station) Unfollow(f *Follower) (lagged bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(f)
	return f.lagged
}

// drop removes f and closes its channel. The caller holds s.mu.
func (s *Station) drop(f *Follower) {
	if f.gone {
		return
	}
	f.gone = true
	delete(s.followers, f)
	close(f.c)
}

// Latest returns the newest level, if there is one.
func (s *Station) Latest() (Level, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.journal) == 0 {
		return Level{}, false
	}
	return s.journal[len(s.journal)-1], true
}
