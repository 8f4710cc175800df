// Package lobby groups waiting players into matches.
package lobby

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
)

// Queue is a FIFO that may be used by several goroutines.
type Queue[T comparable] struct {
	mu    sync.Mutex
	items []T
}

// Push appends v.
func (q *Queue[T]) Push(v T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, v)
}

// Len returns the number of queued items.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// PopN removes and returns n items from the head, or none if fewer are queued.
func (q *Queue[T]) PopN(n int) ([]T, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) < n {
		return nil, false
	}
	out := slices.Clone(q.items[:n])
	q.items = slices.Delete(q.items, 0, n)
	return out, true
}

// Remove deletes v and reports whether it was queued.
func (q *Queue[T]) Remove(v T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.items, v)
	if i < 0 {
		return false
	}
	q.items = slices.Delete(q.items, i, i+1)
	return true
}

// Match is a group of players that play together.
type Match struct {
	ID      uint64
	Players []string
}

// Arena runs matches. A match needs exactly the configured number of players.
type Arena interface {
	Start(m Match)
}

// Lobby collects players until a match is full.
type Lobby struct {
	size  int
	arena Arena
	queue Queue[string]
	seq   atomic.Uint64
}

// New returns a lobby for matches of size players.
func New(size int, arena Arena) *Lobby {
	return &Lobby{size: size, arena: arena}
}

// Enter queues a player and starts a match when enough players wait.
func (l *Lobby) Enter(player string) {
	l.queue.Push(player)
	l.fill()
}

// Cancel takes a waiting player out of the queue.
func (l *Lobby) Cancel(player string) bool {
	return l.queue.Remove(player)
}

func (l *Lobby) fill() {
	for {
		players, ok := l.queue.PopN(l.size)
		if !ok {
			return
		}
		l.arena.Start(Match{ID: l.seq.Add(1), Players: players})
	}
}

// Handler returns the HTTP interface of the lobby.
func (l *Lobby) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /queue/{player}", func(w http.ResponseWriter, r *http.Request) {
		l.Enter(r.PathValue("player"))
		w.WriteHeader(http.StatusAccepted)
	})
	mux.HandleFunc("DELETE /queue/{player}", func(w http.ResponseWriter, r *http.Request) {
		if !l.Cancel(r.PathValue("player")) {
			http.NotFound(w, r)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /queue", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]int{"waiting": l.queue.Len()})
	})
	return mux
}
