package tsoracle

import (
	"errors"
	"sync"
)

var errConflict = errors.New("transaction conflict, please retry")

type finished struct {
	ts   uint64
	keys map[string]struct{}
}

// oracle hands out timestamps.
type oracle struct {
	// chMu makes sure that requests reach the write channel in the order of
	// their timestamps.
	chMu sync.Mutex

	mu      sync.Mutex
	cond    *sync.Cond
	nextTs  uint64
	applied uint64
	commits []finished
}

func newOracle() *oracle {
	o := &oracle{nextTs: 1}
	o.cond = sync.NewCond(&o.mu)
	return o
}

// readTs returns a timestamp up to which everything is visible.
func (o *oracle) readTs() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	ts := o.nextTs - 1
	for o.applied < ts {
		o.cond.Wait()
	}
	return ts
}

func (o *oracle) commitTs(readTs uint64, reads []string, keys map[string]struct{}) (uint64, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.commits {
		if c.ts <= readTs {
			continue
		}
		for _, r := range reads {
			if _, ok := c.keys[r]; ok {
				return 0, false
			}
		}
	}
	ts := o.nextTs
	o.nextTs++
	o.commits = append(o.commits, finished{ts: ts, keys: keys})
	return ts, true
}

func (o *oracle) markApplied(ts uint64) {
	o.mu.Lock()
	o.applied = ts
	o.mu.Unlock()
	o.cond.Broadcast()
}

type version struct {
	ts  uint64
	val []byte
}

type writeReq struct {
	ts   uint64
	puts map[string][]byte
	done chan struct{}
}

// DB is a small multi version store.
type DB struct {
	orc     *oracle
	writeCh chan *writeReq

	memMu sync.RWMutex
	mem   map[string][]version
}

// OpenDB starts the writer.
func OpenDB() *DB {
	db := &DB{orc: newOracle(), writeCh: make(chan *writeReq, 64), mem: make(map[string][]version)}
	go db.writeLoop()
	return db
}

// writeLoop is the only goroutine that changes mem.
func (db *DB) writeLoop() {
	for req := range db.writeCh {
		db.memMu.Lock()
		for k, v := range req.puts {
			db.mem[k] = append(db.mem[k], version{ts: req.ts, val: v})
		}
		db.memMu.Unlock()
		db.orc.markApplied(req.ts)
		close(req.done)
	}
}

// Txn must be used by one goroutine only.
type Txn struct {
	db     *DB
	readTs uint64
	reads  []string
	puts   map[string][]byte
}

// Begin starts a transaction.
func (db *DB) Begin() *Txn {
	return &Txn{db: db, readTs: db.orc.readTs(), puts: make(map[string][]byte)}
}

// Get returns the newest value visible to the transaction.
func (t *Txn) Get(key string) []byte {
	if v, ok := t.puts[key]; ok {
		return v
	}
	t.reads = append(t.reads, key)
	t.db.memMu.RLock()
	defer t.db.memMu.RUnlock()
	vs := t.db.mem[key]
	for i := len(vs) - 1; i >= 0; i-- {
		if vs[i].ts <= t.readTs {
			return vs[i].val
		}
	}
	return nil
}

// Set buffers a write.
func (t *Txn) Set(key string, val []byte) { t.puts[key] = val }

// Commit applies the writes and waits for them.
func (t *Txn) Commit() error {
	if len(t.puts) == 0 {
		return nil
	}
	keys := make(map[string]struct{}, len(t.puts))
	for k := range t.puts {
		keys[k] = struct{}{}
	}
	req, err := t.send(keys)
	if err != nil {
		return err
	}
	<-req.done
	return nil
}

func (t *Txn) send(keys map[string]struct{}) (*writeReq, error) {
	orc := t.db.orc
	orc.chMu.Lock()
	defer orc.chMu.Unlock()
	ts, ok := orc.commitTs(t.readTs, t.reads, keys)
	if !ok {
		return nil, errConflict
	}
	req := &writeReq{ts: ts, puts: t.puts, done: make(chan struct{})}
	t.db.writeCh <- req
	return req, nil
}
