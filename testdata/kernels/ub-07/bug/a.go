package a

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Score is the state of one match.
type Score struct {
	Home, Away int
	Minute     int
}

// Board publishes the score of a match to long-polling clients.
type Board struct {
	mu      sync.Mutex
	rev     int
	score   Score
	changed chan struct{} // closed and replaced at each update
}

// NewBoard returns a board at revision 0.
func NewBoard() *Board {
	return &Board{changed: make(chan struct{})}
}

// Update publishes a new score.
func (b *Board) Update(s Score) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.score = s
	b.rev++
	close(b.changed)
	b.changed = make(chan struct{})
}

// Current returns the revision and its score.
func (b *Board) Current() (int, Score) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rev, b.score
}

// Changed returns a channel that is closed at the next update.
func (b *Board) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// WaitPast blocks until the board is past revision rev.
func (b *Board) WaitPast(ctx context.Context, rev int) (int, Score, error) {
	for {
		cur, score := b.Current()
		if cur > rev {
			return cur, score, nil
		}
		changed := b.Changed()
		select {
		case <-changed:
		case <-ctx.Done():
			return cur, score, ctx.Err()
		}
	}
}

// ServeHTTP answers ?after=N with the first score past revision N.
func (b *Board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	after, err := strconv.Atoi(r.URL.Query().Get("after"))
	if err != nil {
		http.Error(w, "after: not a number", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Minute)
	defer cancel()
	rev, score, err := b.WaitPast(ctx, after)
	if errors.Is(err, context.DeadlineExceeded) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if err != nil {
		return
	}
	w.Header().Set("X-Revision", strconv.Itoa(rev))
	_ = json.NewEncoder(w).Encode(score)
}
