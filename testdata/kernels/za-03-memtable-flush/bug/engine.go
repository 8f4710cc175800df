// Package engine is a small log-structured key/value store: writes go to a
// table in memory which is flushed to immutable sorted tables.
package engine

import (
	"fmt"
	"slices"
	"sync"
)

// Entry is one key with its value. Deleted marks a tombstone.
type Entry struct {
	Key     string
	Value   []byte
	Deleted bool
}

// Table is an immutable sorted table.
type Table interface {
	Find(key string) (Entry, bool)
}

// TableWriter makes sorted tables durable.
type TableWriter interface {
	WriteTable(seq uint64, sorted []Entry) (Table, error)
}

// Engine is safe for concurrent use.
type Engine struct {
	writer TableWriter
	limit  int

	flushMu sync.Mutex // one flush at a time
	seq     uint64     // guarded by flushMu

	mu     sync.RWMutex
	mem    map[string]Entry
	tables []Table // newest first

	kick chan struct{}
	done chan struct{}
	wg   sync.WaitGroup
}

// Open starts an engine that flushes once limit keys are in memory.
func Open(w TableWriter, limit int) *Engine {
	e := &Engine{
		writer: w,
		limit:  limit,
		mem:    make(map[string]Entry),
		kick:   make(chan struct{}, 1),
		done:   make(chan struct{}),
	}
	e.wg.Add(1)
	go e.flusher()
	return e
}

// Put stores value under key.
func (e *Engine) Put(key string, value []byte) {
	e.write(Entry{Key: key, Value: slices.Clone(value)})
}

// Delete removes key.
func (e *Engine) Delete(key string) {
	e.write(Entry{Key: key, Deleted: true})
}

func (e *Engine) write(ent Entry) {
	e.mu.Lock()
	e.mem[ent.Key] = ent
	full := len(e.mem) >= e.limit
	e.mu.Unlock()
	if full {
		select {
		case e.kick <- struct{}{}:
		default:
		}
	}
}

// Get returns the value of key.
func (e *Engine) Get(key string) ([]byte, bool) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if ent, ok := e.mem[key]; ok {
		return ent.Value, !ent.Deleted
	}
	for _, t := range e.tables {
		if ent, ok := t.Find(key); ok {
			return ent.Value, !ent.Deleted
		}
	}
	return nil, false
}

// sorted returns the entries in memory in key order.
func (e *Engine) sorted() []Entry {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return sortEntries(e.mem)
}

func sortEntries(m map[string]Entry) []Entry {
	out := make([]Entry, 0, len(m))
	for _, ent := range m {
		out = append(out, ent)
	}
	slices.SortFunc(out, func(a, b Entry) int {
		if a.Key < b.Key {
			return -1
		}
		if a.Key > b.Key {
			return 1
		}
		return 0
	})
	return out
}

// install makes t the newest table and empties the memory table.
func (e *Engine) install(t Table) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tables = slices.Insert(e.tables, 0, t)
	e.mem = make(map[string]Entry)
}

// Flush writes what is in memory to a new sorted table. Writers are not held
// up while the table is written.
func (e *Engine) Flush() error {
	e.flushMu.Lock()
	defer e.flushMu.Unlock()
	entries := e.sorted()
	if len(entries) == 0 {
		return nil
	}
	t, err := e.writer.WriteTable(e.seq+1, entries)
	if err != nil {
		return fmt.Errorf("engine: flush table %d: %w", e.seq+1, err)
	}
	e.seq++
	e.install(t)
	return nil
}

// flusher runs flushes in the background. A flush that fails keeps its
// entries in memory and is tried again with the next kick.
func (e *Engine) flusher() {
	defer e.wg.Done()
	for {
		select {
		case <-e.kick:
			_ = e.Flush()
		case <-e.done:
			return
		}
	}
}

// Close stops the background flusher and flushes the rest. No other method
// may be called any more.
func (e *Engine) Close() error {
	close(e.done)
	e.wg.Wait()
	return e.Flush()
}
