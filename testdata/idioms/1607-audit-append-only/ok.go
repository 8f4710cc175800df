// Package a is an append-only audit log.
package a

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Record is one audited action.
type Record struct {
	At     time.Time `json:"at"`
	Actor  string    `json:"actor"`
	Action string    `json:"action"`
}

// Log only ever grows.
type Log struct {
	mu   sync.RWMutex
	recs []Record
	grew chan struct{}
}

// NewLog returns an empty log.
func NewLog() *Log { return &Log{grew: make(chan struct{})} }

// Append adds a record.
func (l *Log) Append(actor, action string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recs = append(l.recs, Record{At: time.Now(), Actor: actor, Action: action})
	close(l.grew)
	l.grew = make(chan struct{})
}

// Len returns the number of records and a channel which is closed when
// there are more.
func (l *Log) Len() (int, <-chan struct{}) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.recs), l.grew
}

// At returns the record with the index i.
func (l *Log) At(i int) Record {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.recs[i]
}

// Follow calls fn for each record from the index on until ctx ends.
func (l *Log) Follow(ctx context.Context, from int, fn func(int, Record) error) error {
	for i := max(from, 0); ; {
		n, grew := l.Len()
		for ; i < n; i++ {
			if err := fn(i, l.At(i)); err != nil {
				return fmt.Errorf("record %d: %w", i, err)
			}
		}
		select {
		case <-grew:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ServeHTTP writes the last records, one per line.
func (l *Log) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	count, err := strconv.Atoi(r.FormValue("n"))
	if err != nil || count < 1 {
		count = 20
	}
	out := bufio.NewWriter(w)
	defer out.Flush()
	enc := json.NewEncoder(out)
	n, _ := l.Len()
	for i := max(0, n-count); i < n; i++ {
		if enc.Encode(l.At(i)) != nil {
			return
		}
	}
}
