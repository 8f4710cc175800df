// Package player plays what the guests of a party put into the queue.
package player

import (
	"errors"
	"slices"
	"sync"
)

var (
	ErrNotQueued = errors.New("player: track is not in the queue")
	ErrDenied    = errors.New("player: not allowed")
)

// Track is one piece of music.
type Track struct {
	ID, Title string
	AddedBy   string
}

// Player is shared by all guests.
type Player struct {
	// mayRemove asks the host, over the network.
	mayRemove func(user, id string) bool

	mu      sync.Mutex
	playing Track
	upNext  Queue
}

// Queue has the tracks to come. The player's lock protects it.
type Queue struct {
	player *Player
	tracks []Track
}

// New returns a silent player.
func New(mayRemove func(user, id string) bool) *Player {
	p := &Player{mayRemove: mayRemove}
	p.upNext.player = p
	return p
}

// Queue returns the queue of the player.
func (p *Player) Queue() *Queue { return &p.upNext }

// Next starts the next track. The sound card calls it when a track ends.
func (p *Player) Next() (Track, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.upNext.tracks) == 0 {
		p.playing = Track{}
		return p.playing, false
	}
	p.playing = p.upNext.tracks[0]
	p.upNext.tracks = slices.Delete(p.upNext.tracks, 0, 1)
	return p.playing, true
}

// Add appends a track.
func (q *Queue) Add(t Track) {
	q.player.mu.Lock()
	defer q.player.mu.Unlock()
	q.tracks = append(q.tracks, t)
}

// Remove takes a track out of the queue, if the host agrees.
func (q *Queue) Remove(user, id string) error {
	q.player.mu.Lock()
	i := slices.IndexFunc(q.tracks, func(t Track) bool { return t.ID == id })
	q.player.mu.Unlock()
	if i < 0 {
		return ErrNotQueued
	}
	if !q.player.mayRemove(user, id) {
		return ErrDenied
	}
	q.player.mu.Lock()
	defer q.player.mu.Unlock()
	q.tracks = slices.Delete(q.tracks, i, i+1)
	return nil
}

// List returns the tracks to come.
func (q *Queue) List() []Track {
	q.player.mu.Lock()
	defer q.player.mu.Unlock()
	return slices.Clone(q.tracks)
}
