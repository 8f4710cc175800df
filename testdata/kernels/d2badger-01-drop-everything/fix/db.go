// Package fix is a table of keys with a separate log of values.
package fix

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	errBlocked = errors.New("writes are blocked")
	errLost    = errors.New("value not found in log")
)

// Entry is a key and its value.
type Entry struct {
	Key, Value string
}

type request struct {
	entries []Entry
	ptrs    []int
	wg      sync.WaitGroup
}

// closer ends a goroutine and waits for it.
type closer struct {
	stop chan struct{}
	wg   sync.WaitGroup
}

func newCloser() *closer {
	c := &closer{stop: make(chan struct{})}
	c.wg.Add(1)
	return c
}

func (c *closer) signalAndWait() {
	close(c.stop)
	c.wg.Wait()
}

// valueLog keeps values by position.
type valueLog struct {
	mu   sync.RWMutex
	next int
	vals map[int]string
}

func (l *valueLog) write(reqs []*request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range reqs {
		for _, e := range r.entries {
			l.vals[l.next] = e.Value
			r.ptrs = append(r.ptrs, l.next)
			l.next++
		}
	}
}

func (l *valueLog) read(p int) (string, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	v, ok := l.vals[p]
	return v, ok
}

func (l *valueLog) drop() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.vals)
	clear(l.vals)
	return n
}

// DB is the store.
type DB struct {
	mu    sync.RWMutex // guards table
	table map[string]int

	vlog   valueLog
	writeC chan *request
	loop   *closer

	blocked atomic.Bool
	dropMu  sync.Mutex
}

// Open returns an empty store.
func Open() *DB {
	db := &DB{
		table:  make(map[string]int),
		vlog:   valueLog{vals: make(map[int]string)},
		writeC: make(chan *request, 1000),
		loop:   newCloser(),
	}
	go db.writeLoop(db.loop)
	return db
}

func (db *DB) send(entries []Entry) (*request, error) {
	if db.blocked.Load() {
		return nil, errBlocked
	}
	r := &request{entries: entries}
	r.wg.Add(1)
	db.writeC <- r
	return r, nil
}

// Set writes entries and waits until they are readable.
func (db *DB) Set(entries ...Entry) error {
	r, err := db.send(entries)
	if err != nil {
		return err
	}
	r.wg.Wait()
	return nil
}

// Get returns a value, or an empty one.
func (db *DB) Get(key string) (string, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	p, ok := db.table[key]
	if !ok {
		return "", nil
	}
	if v, ok := db.vlog.read(p); ok {
		return v, nil
	}
	return "", errLost
}

func (db *DB) writeRequests(reqs []*request) {
	db.vlog.write(reqs)
	for _, r := range reqs {
		db.mu.Lock()
		for i, e := range r.entries {
			db.table[e.Key] = r.ptrs[i]
		}
		db.mu.Unlock()
		r.wg.Done()
	}
}

func (db *DB) writeLoop(c *closer) {
	defer c.wg.Done()
	busy := make(chan struct{}, 1)
	write := func(reqs []*request) {
		db.writeRequests(reqs)
		<-busy
	}
	var reqs []*request
	for {
		select {
		case r := <-db.writeC:
			reqs = append(reqs, r)
			continue
		case <-c.stop:
			for len(db.writeC) > 0 {
				reqs = append(reqs, <-db.writeC)
			}
			busy <- struct{}{}
			write(reqs)
			return
		case acquired(busy, len(reqs)) <- struct{}{}:
		}
		go write(reqs)
		reqs = nil
	}
}

// acquired returns the channel if there is something to write.
func acquired(busy chan struct{}, n int) chan struct{} {
	if n == 0 {
		return nil
	}
	return busy
}

// DropAll removes everything. Writes are refused meanwhile.
func (db *DB) DropAll() int {
	db.dropMu.Lock()
	defer db.dropMu.Unlock()
	db.blocked.Store(true)
	defer func() {
		db.loop = newCloser()
		go db.writeLoop(db.loop)
		db.blocked.Store(false)
	}()

	// Make all pending writes finish.
	db.loop.signalAndWait()

	db.mu.Lock()
	defer db.mu.Unlock()
	db.table = make(map[string]int)
	return db.vlog.drop()
}

// Close is called after the last write.
func (db *DB) Close() { db.loop.signalAndWait() }
