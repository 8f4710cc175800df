// Package appendlog is the in-memory change log behind a sync server.
package appendlog

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Change is one logged change. It is not modified after Append.
type Change struct {
	Seq  int       `json:"seq"`
	Path string    `json:"path"`
	Hash string    `json:"hash"`
	At   time.Time `json:"at"`
}

// Log is a list of changes that only grows.
type Log struct {
	mu      sync.RWMutex
	changes []Change
	grown   chan struct{} // closed and replaced by every Append
}

// New returns an empty log.
func New() *Log { return &Log{grown: make(chan struct{})} }

// Append adds a change and returns its sequence number.
func (l *Log) Append(path, hash string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	seq := len(l.changes)
	l.changes = append(l.changes, Change{Seq: seq, Path: path, Hash: hash, At: time.Now()})
	close(l.grown)
	l.grown = make(chan struct{})
	return seq
}

// Len returns the number of changes.
func (l *Log) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.changes)
}

// At returns the change with the given number, which must be below Len.
func (l *Log) At(seq int) Change {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.changes[seq]
}

func (l *Log) growth() <-chan struct{} {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.grown
}

// Since returns at most limit changes from number from on.
func (l *Log) Since(from, limit int) []Change {
	end := l.Len()
	if end-from > limit {
		end = from + limit
	}
	var out []Change
	for seq := from; seq < end; seq++ {
		out = append(out, l.At(seq))
	}
	return out
}

// Wait returns when the log has more than n changes or ctx ends.
func (l *Log) Wait(ctx context.Context, n int) error {
	for {
		grown := l.growth()
		if l.Len() > n {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ServeHTTP answers long polls for the changes from ?from= on.
func (l *Log) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from, err := strconv.Atoi(r.URL.Query().Get("from"))
	if err != nil || from < 0 {
		http.Error(w, "bad from", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 30*time.Second)
	defer cancel()
	if err := l.Wait(ctx, from); err != nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(l.Since(from, 500))
}
