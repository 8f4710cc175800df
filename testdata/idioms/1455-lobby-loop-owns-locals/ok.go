package a

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Player waits for a match.
type Player struct {
	ID    string
	Skill int
	since time.Time
}

type queue struct {
	mu      sync.RWMutex
	players []Player
}

func (q *queue) len() int {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return len(q.players)
}

func (q *queue) find(id string) int {
	q.mu.RLock()
	defer q.mu.RUnlock()
	for i, p := range q.players {
		if p.ID == id {
			return i
		}
	}
	return -1
}

func (q *queue) push(p Player) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.players = append(q.players, p)
}

func (q *queue) removeAt(i int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.players = append(q.players[:i], q.players[i+1:]...)
}

func (q *queue) take(n int) []Player {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := append([]Player(nil), q.players[:n]...)
	q.players = append([]Player(nil), q.players[n:]...)
	return out
}

func (q *queue) oldest() (since time.Time, ok bool) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if len(q.players) == 0 {
		return time.Time{}, false
	}
	return q.players[0].since, true
}

// Start runs a lobby until ctx ends and returns its endpoints. Matches of the
// given size go to begin, in the order in which they are complete.
func Start(ctx context.Context, size int, begin func([]Player)) http.Handler {
	var (
		waiting = new(queue)
		ops     = make(chan func())
	)

	submit := func(ctx context.Context, op func()) bool {
		select {
		case ops <- op:
			return true
		case <-ctx.Done():
			return false
		}
	}

	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case op := <-ops:
				op()
			}
			for waiting.len() >= size {
				begin(waiting.take(size))
			}
		}
	}()

	mux := http.NewServeMux()
	mux.HandleFunc("POST /lobby/{id}", func(w http.ResponseWriter, r *http.Request) {
		p := Player{ID: r.PathValue("id"), since: time.Now()}
		if !submit(r.Context(), func() {
			if waiting.find(p.ID) < 0 {
				waiting.push(p)
			}
		}) {
			http.Error(w, "try again", http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("DELETE /lobby/{id}", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		submit(r.Context(), func() {
			if i := waiting.find(id); i >= 0 {
				waiting.removeAt(i)
			}
		})
	})
	mux.HandleFunc("GET /lobby", func(w http.ResponseWriter, r *http.Request) {
		var wait time.Duration
		if since, ok := waiting.oldest(); ok {
			wait = time.Since(since)
		}
		json.NewEncoder(w).Encode(map[string]any{"longest_wait": wait.String()})
	})
	return mux
}
