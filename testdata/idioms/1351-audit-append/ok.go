// Package ok is an audit trail that is written once and never cut.
package ok

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var ErrRange = errors.New("audit: range not written yet")

// Entry is a line of the trail.
type Entry struct {
	At     time.Time
	Actor  string
	Action string
}

// trail only grows: an entry that has been written is neither changed nor
// removed.
type trail struct {
	mu      sync.RWMutex
	entries []Entry
}

func (t *trail) append(e Entry) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, e)
	return len(t.entries)
}

func (t *trail) len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.entries)
}

func (t *trail) cut(from, to int) ([]Entry, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if from < 0 || from > to || to > len(t.entries) {
		return nil, ErrRange
	}
	return append([]Entry(nil), t.entries[from:to]...), nil
}

// Exporter sends entries to an archive.
type Exporter interface {
	Export(ctx context.Context, first int, entries []Entry) error
}

// Log is the audit log of a service.
type Log struct {
	trail    trail
	exporter Exporter
	exported atomic.Int64 // written by Run only
}

func NewLog(x Exporter) *Log {
	return &Log{exporter: x}
}

// Record writes an entry and returns its number.
func (l *Log) Record(actor, action string) int {
	return l.trail.append(Entry{At: time.Now(), Actor: actor, Action: action})
}

// Last returns the last n entries that there are when it is called.
func (l *Log) Last(n int) ([]Entry, error) {
	end := l.trail.len()
	return l.trail.cut(max(0, end-n), end)
}

// Backlog counts the entries that have not been exported.
func (l *Log) Backlog() int {
	done := int(l.exported.Load())
	return l.trail.len() - done
}

// Run exports what is written. It is called once.
func (l *Log) Run(ctx context.Context, every time.Duration) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := l.export(ctx); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *Log) export(ctx context.Context) error {
	first, end := int(l.exported.Load()), l.trail.len()
	if first == end {
		return nil
	}
	entries, err := l.trail.cut(first, end)
	if err != nil {
		return err
	}
	if err := l.exporter.Export(ctx, first, entries); err != nil {
		return err
	}
	l.exported.Store(int64(end))
	return nil
}
