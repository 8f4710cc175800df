package a

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
)

// Entry is one record of the replicated log.
type Entry struct {
	Index int64  `json:"index"`
	Data  string `json:"data"`
}

// Log holds all entries since the start. It only grows and an entry never
// changes. The commit index only goes up and never passes the last entry.
type Log struct {
	committed atomic.Int64

	mu      sync.RWMutex
	entries []Entry
	acks    map[string]int64
	quorum  int
}

func NewLog(quorum int) *Log {
	return &Log{acks: make(map[string]int64), quorum: quorum}
}

// Append adds an entry that is not committed yet.
func (l *Log) Append(data string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := Entry{Index: int64(len(l.entries)) + 1, Data: data}
	l.entries = append(l.entries, e)
	return e.Index
}

// Ack notes that a follower has everything up to index.
func (l *Log) Ack(follower string, index int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if index <= l.acks[follower] || index > int64(len(l.entries)) {
		return
	}
	l.acks[follower] = index
	for n := l.committed.Load() + 1; n <= index; n++ {
		have := 0
		for _, a := range l.acks {
			if a >= n {
				have++
			}
		}
		if have < l.quorum {
			return
		}
		l.committed.Store(n)
	}
}

// Committed is the index of the last committed entry.
func (l *Log) Committed() int64 { return l.committed.Load() }

func (l *Log) at(index int64) Entry {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.entries[index-1]
}

// Get returns an entry once it is committed.
func (l *Log) Get(index int64) (Entry, bool) {
	if index < 1 || index > l.Committed() {
		return Entry{}, false
	}
	return l.at(index), true
}

// Since returns the committed entries after index.
func (l *Log) Since(index int64) []Entry {
	var out []Entry
	last := l.Committed()
	for i := max(index, 0) + 1; i <= last; i++ {
		out = append(out, l.at(i))
	}
	return out
}

func (l *Log) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	after, err := strconv.ParseInt(r.FormValue("after"), 10, 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	json.NewEncoder(w).Encode(l.Since(after))
}

// Follower is the connection to one replica.
type Follower interface {
	Name() string
	Acks(ctx context.Context) <-chan int64
}

// Run follows the acknowledgements of all replicas.
func (l *Log) Run(ctx context.Context, fs []Follower) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for index := range f.Acks(ctx) {
				l.Ack(f.Name(), index)
			}
		}()
	}
	wg.Wait()
}
