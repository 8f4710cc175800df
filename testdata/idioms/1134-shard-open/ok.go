// Correct: while the log is replayed the new shard is known to this goroutine
// only, so its checks and writes, though locked one by one, are not split by
// anybody. The registry looks again when it publishes; the loser's shard was
// built by reading only (and what it read, or failed to read, is of no account),
// shards are never taken out, and nothing is logged before one is published.

// Package ok opens the shards of a database when they are first used.
package ok

import (
	"fmt"
	"sync"
)

// Record is one logged write.
type Record struct {
	Seq   uint64
	Key   string
	Value string
}

// Log is a shard's write-ahead log.
type Log interface {
	Replay(fn func(Record) error) error
	Append(Record) error
}

// Shard is a part of the key space.
type Shard struct {
	log Log

	mu   sync.RWMutex
	data map[string]string
	seq  uint64
}

// Seq is the sequence of the last write.
func (s *Shard) Seq() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.seq
}

// Get reads a key.
func (s *Shard) Get(key string) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.data[key]
	return v, ok
}

func (s *Shard) load(r Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[r.Key] = r.Value
	s.seq = r.Seq
}

// Put logs and makes a write.
func (s *Shard) Put(key, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Record{Seq: s.seq + 1, Key: key, Value: value}
	if err := s.log.Append(r); err != nil {
		return err
	}
	s.data[key] = value
	s.seq = r.Seq
	return nil
}

func openShard(l Log) (*Shard, error) {
	s := &Shard{log: l, data: make(map[string]string)}
	err := l.Replay(func(r Record) error {
		if have := s.Seq(); r.Seq <= have {
			return fmt.Errorf("shard: record %d after %d", r.Seq, have)
		}
		s.load(r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// DB is the registry of shards.
type DB struct {
	logs func(id int) Log

	mu     sync.Mutex
	shards map[int]*Shard
}

func New(logs func(id int) Log) *DB { return &DB{logs: logs, shards: make(map[int]*Shard)} }

func (d *DB) lookup(id int) (*Shard, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.shards[id]
	return s, ok
}

// Shard gives a shard; it is opened if it is not yet.
func (d *DB) Shard(id int) (*Shard, error) {
	if s, ok := d.lookup(id); ok {
		return s, nil
	}
	s, err := openShard(d.logs(id))
	d.mu.Lock()
	defer d.mu.Unlock()
	if first, ok := d.shards[id]; ok {
		return first, nil
	}
	if err != nil {
		return nil, err
	}
	d.shards[id] = s
	return s, nil
}
