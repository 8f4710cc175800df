package changefeed

import (
	"errors"
	"sync"
)

// ErrTrimmed is returned when a requested change is no longer retained.
var ErrTrimmed = errors.New("changefeed: position is no longer retained")

// Change is one configuration change.
type Change struct {
	Seq   uint64
	Key   string
	Value []byte
}

// Log retains the latest changes.
type Log struct {
	mu      sync.RWMutex
	retain  int
	next    uint64 // sequence number of the next change
	changes []Change
}

// append assigns the next sequence number to a change and retains it.
func (l *Log) append(key string, value []byte) Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := Change{Seq: l.next, Key: key, Value: append([]byte(nil), value...)}
	l.next++
	l.changes = append(l.changes, c)
	if n := len(l.changes) - l.retain; n > 0 {
		l.changes = append([]Change(nil), l.changes[n:]...)
	}
	return c
}

// since returns the changes after the given sequence number.
func (l *Log) since(after uint64) ([]Change, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	first := l.next - uint64(len(l.changes))
	if after+1 < first {
		return nil, ErrTrimmed
	}
	if after+1 >= l.next {
		return nil, nil
	}
	return append([]Change(nil), l.changes[after+1-first:]...), nil
}
