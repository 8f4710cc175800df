// Package a keeps the log book of a ship.
package a

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Entry is a line of the log. It is not changed after it was made.
type Entry struct {
	At     time.Time
	Author string
	Text   string
}

// Log is a log book. Entries are added at the end and never taken out.
type Log struct {
	ship string

	mu      sync.RWMutex
	entries []Entry
}

// NewLog returns an empty log.
func NewLog(ship string) *Log { return &Log{ship: ship} }

// Append adds an entry and returns its number.
func (l *Log) Append(author, text string) (int, error) {
	if author == "" || text == "" {
		return 0, errors.New("entry needs an author and a text")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, Entry{At: time.Now(), Author: author, Text: text})
	return len(l.entries) - 1, nil
}

// Len is the number of entries.
func (l *Log) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.entries)
}

// At returns the entry with number i, which must be less than Len.
func (l *Log) At(i int) Entry {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.entries[i]
}

// Latest returns the entry that was the last one when Latest was called.
func (l *Log) Latest() (Entry, bool) {
	n := l.Len()
	if n == 0 {
		return Entry{}, false
	}
	return l.At(n - 1), true
}

// WriteTo prints the entries there are at the beginning of the call. Writers
// of the log do not have to wait for a slow w.
func (l *Log) WriteTo(w io.Writer) (int64, error) {
	bw := bufio.NewWriter(w)
	var total int64
	n := l.Len()
	for i := 0; i < n; i++ {
		e := l.At(i)
		k, err := fmt.Fprintf(bw, "%s %d %s %s: %s\n", l.ship, i, e.At.Format(time.RFC3339), e.Author, e.Text)
		total += int64(k)
		if err != nil {
			return total, err
		}
	}
	return total, bw.Flush()
}
