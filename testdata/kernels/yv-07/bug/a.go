package a

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

type Step struct {
	Name string
	Run  func(ctx context.Context, tx *sql.Tx) error
}

type record struct {
	Name string        `json:"name"`
	Took time.Duration `json:"took"`
}

// Runner brings the schema to the newest version; Steps[i] leads from version i to i+1.
type Runner struct {
	db    *sql.DB
	steps []Step

	mu      sync.RWMutex
	version int
	history []record
}

func NewRunner(db *sql.DB, version int, steps []Step) *Runner {
	return &Runner{db: db, version: version, steps: steps}
}

func (r *Runner) Version() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.version
}

func (r *Runner) next() (Step, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.version >= len(r.steps) {
		return Step{}, false
	}
	return r.steps[r.version], true
}

func (r *Runner) advance(name string, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version++
	r.history = append(r.history, record{Name: name, Took: took})
}

func (r *Runner) apply(ctx context.Context, s Step) (err error) {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback()
		}
	}()
	if err = s.Run(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Up runs all outstanding steps in order.
func (r *Runner) Up(ctx context.Context) error {
	for {
		s, ok := r.next()
		if !ok {
			return nil
		}
		began := time.Now()
		if err := r.apply(ctx, s); err != nil {
			return fmt.Errorf("migrate: step %q: %w", s.Name, err)
		}
		r.advance(s.Name, time.Since(began))
	}
}

// Start migrates in the background while the service comes up.
func (r *Runner) Start(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	go func() { done <- r.Up(ctx) }()
	return done
}

// ServeHTTP shows the state (GET) or triggers a run (POST).
func (r *Runner) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method == http.MethodPost {
		if err := r.Up(req.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	_ = json.NewEncoder(w).Encode(struct {
		Version int      `json:"version"`
		History []record `json:"history"`
	}{r.version, r.history})
}
