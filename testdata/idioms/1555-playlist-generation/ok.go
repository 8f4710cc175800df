package a

import (
	"container/list"
	"fmt"
	"net/http"
	"sort"
	"sync"
	"time"
)

type Track struct {
	ID     string
	Artist string
	Length time.Duration
}

// Rotation scores a track, higher is played sooner. It asks the database of
// past plays and is slow.
type Rotation interface {
	Score(t Track) float64
}

// Scheduler holds the queue of a radio station.
type Scheduler struct {
	rot Rotation

	mu    sync.Mutex
	queue *list.List // of Track
	gen   uint64     // changes with every edit of the queue
	onAir Track
}

func NewScheduler(rot Rotation) *Scheduler {
	return &Scheduler{rot: rot, queue: list.New()}
}

func (s *Scheduler) Append(t Track) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.PushBack(t)
	s.gen++
}

// Next puts the first track of the queue on air.
func (s *Scheduler) Next() (Track, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.queue.Front()
	if e == nil {
		return Track{}, false
	}
	s.onAir = s.queue.Remove(e).(Track)
	s.gen++
	return s.onAir, true
}

// OnAir is the track that plays now.
func (s *Scheduler) OnAir() Track {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.onAir
}

func (s *Scheduler) tracksLocked() []Track {
	out := make([]Track, 0, s.queue.Len())
	for e := s.queue.Front(); e != nil; e = e.Next() {
		out = append(out, e.Value.(Track))
	}
	return out
}

func (s *Scheduler) Queue() ([]Track, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tracksLocked(), s.gen
}

func (s *Scheduler) replaceLocked(tracks []Track) {
	s.queue.Init()
	for _, t := range tracks {
		s.queue.PushBack(t)
	}
	s.gen++
}

func (s *Scheduler) replace(tracks []Track, gen uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gen != gen {
		return false
	}
	s.replaceLocked(tracks)
	return true
}

func (s *Scheduler) order(tracks []Track) {
	score := make(map[string]float64, len(tracks))
	for _, t := range tracks {
		score[t.ID] = s.rot.Score(t)
	}
	sort.SliceStable(tracks, func(i, j int) bool {
		return score[tracks[i].ID] > score[tracks[j].ID]
	})
}

// Reorder sorts the queue by rotation score.
func (s *Scheduler) Reorder() {
	for range 3 {
		tracks, gen := s.Queue()
		s.order(tracks)
		if s.replace(tracks, gen) {
			return
		}
	}
	// Too busy, hold up the editors this once.
	s.mu.Lock()
	defer s.mu.Unlock()
	tracks := s.tracksLocked()
	s.order(tracks)
	s.replaceLocked(tracks)
}

func (s *Scheduler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/next":
		t, ok := s.Next()
		if !ok {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		fmt.Fprintln(w, t.ID)
	case "/reorder":
		s.Reorder()
	case "/queue":
		tracks, gen := s.Queue()
		w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprint(gen)))
		for _, t := range tracks {
			fmt.Fprintln(w, t.ID, t.Artist, t.Length)
		}
	default:
		http.NotFound(w, r)
	}
}
