// Package matchmaker groups waiting players into matches and places them on
// game servers.
package matchmaker

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Errors returned by Enqueue.
var (
	ErrWaiting = errors.New("matchmaker: player is already waiting")
	ErrPlaying = errors.New("matchmaker: player is in a match")
)

// PlayerID and MatchID identify players and matches.
type (
	PlayerID string
	MatchID  string
)

// Fleet runs the game servers. Allocate reserves one, which may take seconds;
// the match begins with Start and ends with a call to Matchmaker.Finish.
type Fleet interface {
	Allocate(ctx context.Context, players []PlayerID) (MatchID, error)
	Start(id MatchID)
}

// Matchmaker is safe for concurrent use. A player has at most one ticket and
// is in at most one match.
type Matchmaker struct {
	fleet Fleet
	size  int
	wake  chan struct{}

	mu      sync.Mutex
	queue   []PlayerID
	waiting map[PlayerID]bool
	playing map[PlayerID]MatchID
}

// New starts a matchmaker that runs until ctx is done.
func New(ctx context.Context, fleet Fleet, size int) *Matchmaker {
	m := &Matchmaker{
		fleet:   fleet,
		size:    size,
		wake:    make(chan struct{}, 1),
		waiting: make(map[PlayerID]bool),
		playing: make(map[PlayerID]MatchID),
	}
	go m.run(ctx)
	return m
}

// Enqueue puts a player into the queue.
func (m *Matchmaker) Enqueue(p PlayerID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting[p] {
		return ErrWaiting
	}
	if _, ok := m.playing[p]; ok {
		return ErrPlaying
	}
	m.waiting[p] = true
	m.queue = append(m.queue, p)
	select {
	case m.wake <- struct{}{}:
	default:
	}
	return nil
}

// Leave takes a player out of the queue. It reports false if the player is
// not in it, or is being placed already.
func (m *Matchmaker) Leave(p PlayerID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.Index(m.queue, p)
	if i < 0 {
		return false
	}
	m.queue = slices.Delete(m.queue, i, i+1)
	delete(m.waiting, p)
	return true
}

// Finish is called by the fleet when a match that was started is over.
func (m *Matchmaker) Finish(id MatchID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for p, in := range m.playing {
		if in == id {
			delete(m.playing, p)
		}
	}
}

func (m *Matchmaker) run(ctx context.Context) {
	retry := time.NewTicker(5 * time.Second)
	defer retry.Stop()
	for {
		for m.place(ctx) {
		}
		select {
		case <-ctx.Done():
			return
		case <-m.wake:
		case <-retry.C:
		}
	}
}

// place makes one match from the head of the queue. It reports whether it is
// worth trying for another.
func (m *Matchmaker) place(ctx context.Context) bool {
	m.mu.Lock()
	if len(m.queue) < m.size {
		m.mu.Unlock()
		return false
	}
	team := slices.Clone(m.queue[:m.size])
	m.queue = slices.Delete(m.queue, 0, m.size)
	for _, p := range team {
		delete(m.waiting, p)
	}
	m.mu.Unlock()

	id, err := m.fleet.Allocate(ctx, team)
	m.mu.Lock()
	if err != nil {
		for _, p := range team {
			m.waiting[p] = true
		}
		m.queue = append(team, m.queue...)
		m.mu.Unlock()
		slog.Warn("no server for match", "players", team, "err", err)
		return false
	}
	for _, p := range team {
		m.playing[p] = id
	}
	m.mu.Unlock()
	m.fleet.Start(id)
	return true
}
