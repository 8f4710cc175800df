package auditqueue

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Record is one line of the audit log.
type Record struct {
	At     time.Time `json:"at"`
	User   string    `json:"user"`
	Action string    `json:"action"`
	Target string    `json:"target"`
}

// Sink stores records durably.
type Sink interface {
	Write(ctx context.Context, line []byte) error
}

// Auditor records what users do. Handlers refuse an action that cannot be
// audited.
type Auditor struct {
	q *Queue[Record]
}

// NewAuditor writes to sink with four workers.
func NewAuditor(sink Sink) *Auditor {
	return &Auditor{q: NewQueue("audit", 1024, 4, func(ctx context.Context, r Record) error {
		line, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode: %w", err)
		}
		return sink.Write(ctx, line)
	})}
}

// Wrap audits every request before h serves it.
func (a *Auditor) Wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := Record{At: time.Now(), User: r.Header.Get("X-User"), Action: r.Method, Target: r.URL.Path}
		if err := a.q.Submit(rec); err != nil {
			http.Error(w, "audit log unavailable", http.StatusServiceUnavailable)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// Close flushes the audit log.
func (a *Auditor) Close() { a.q.Stop() }
