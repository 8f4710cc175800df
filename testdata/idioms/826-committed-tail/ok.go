// Package tail serves readers of an append-only message log. Messages become
// visible to readers once they are replicated.
package tail

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// ErrRange is returned for an offset beyond the log or a bad limit.
var ErrRange = errors.New("tail: offset out of range")

// Message is immutable once appended.
type Message struct {
	Offset int
	Key    string
	Body   []byte
}

// Log is an append-only log in memory. Messages are never removed or changed,
// and the visible part only grows. It is safe for concurrent use.
type Log struct {
	visible atomic.Int64 // messages that readers may see

	mu       sync.RWMutex
	messages []Message

	growMu sync.Mutex
	grown  chan struct{} // closed when visible has grown
}

// New returns an empty log.
func New() *Log {
	return &Log{grown: make(chan struct{})}
}

// Append adds a message and returns its offset. Readers do not see it yet.
func (l *Log) Append(key string, body []byte) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	off := len(l.messages)
	l.messages = append(l.messages, Message{Offset: off, Key: key, Body: body})
	return off
}

// Replicated records that the first n messages are on enough replicas.
func (l *Log) Replicated(n int) error {
	l.mu.RLock()
	size := len(l.messages)
	l.mu.RUnlock()
	if n < 0 || n > size {
		return ErrRange
	}
	for {
		cur := l.visible.Load()
		if int64(n) <= cur {
			return nil
		}
		if l.visible.CompareAndSwap(cur, int64(n)) {
			break
		}
	}
	l.growMu.Lock()
	defer l.growMu.Unlock()
	close(l.grown)
	l.grown = make(chan struct{})
	return nil
}

// Visible returns the number of messages readers may see.
func (l *Log) Visible() int { return int(l.visible.Load()) }

// slice returns messages [from, to).
func (l *Log) slice(from, to int) []Message {
	l.mu.RLock()
	defer l.mu.RUnlock()
	out := make([]Message, to-from)
	copy(out, l.messages[from:to])
	return out
}

// Read returns up to limit visible messages starting at offset from. It may
// return none.
func (l *Log) Read(from, limit int) ([]Message, error) {
	end := l.Visible()
	if from < 0 || from > end || limit <= 0 {
		return nil, ErrRange
	}
	if end-from > limit {
		end = from + limit
	}
	return l.slice(from, end), nil
}

func (l *Log) growth() <-chan struct{} {
	l.growMu.Lock()
	defer l.growMu.Unlock()
	return l.grown
}

// Follow reads like Read but waits until there is a message to return.
func (l *Log) Follow(ctx context.Context, from, limit int) ([]Message, error) {
	for {
		grown := l.growth()
		msgs, err := l.Read(from, limit)
		if err != nil || len(msgs) > 0 {
			return msgs, err
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
