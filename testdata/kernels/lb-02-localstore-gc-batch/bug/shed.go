package localstore

import (
	"errors"
	"fmt"
	"sort"
	"sync"
)

// ErrNotFound is returned when a key is not in the index.
var ErrNotFound = errors.New("not found")

// Item holds fields relevant to Swarm Chunk data and metadata.
type Item struct {
	Address         []byte
	Data            []byte
	AccessTimestamp int64
}

func addressKey(i Item) string { return string(i.Address) }

func accessKey(i Item) string { return fmt.Sprintf("%020d%s", i.AccessTimestamp, i.Address) }

// Batch is a list of changes which are written together.
type Batch struct {
	ops []func()
}

// shedDB provides abstractions over a key/value store.
type shedDB struct {
	mu sync.RWMutex
}

// WriteBatch applies all changes of the batch.
func (db *shedDB) WriteBatch(batch *Batch) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, op := range batch.ops {
		op()
	}
	return nil
}

// Index represents a set of key value pairs.
type Index struct {
	db  *shedDB
	key func(Item) string
	m   map[string]Item
}

func (db *shedDB) NewIndex(key func(Item) string) *Index {
	return &Index{db: db, key: key, m: make(map[string]Item)}
}

func (f *Index) Get(keyFields Item) (Item, error) {
	f.db.mu.RLock()
	defer f.db.mu.RUnlock()
	i, ok := f.m[f.key(keyFields)]
	if !ok {
		return Item{}, ErrNotFound
	}
	return i, nil
}

func (f *Index) PutInBatch(batch *Batch, i Item) {
	batch.ops = append(batch.ops, func() { f.m[f.key(i)] = i })
}

func (f *Index) DeleteInBatch(batch *Batch, i Item) {
	key := f.key(i)
	batch.ops = append(batch.ops, func() { delete(f.m, key) })
}

// Iterate iterates over a snapshot of the index in the order of the keys.
func (f *Index) Iterate(fn func(Item) (stop bool, err error)) error {
	f.db.mu.RLock()
	keys := make([]string, 0, len(f.m))
	items := make(map[string]Item, len(f.m))
	for k, i := range f.m {
		keys = append(keys, k)
		items[k] = i
	}
	f.db.mu.RUnlock()
	sort.Strings(keys)
	for _, k := range keys {
		stop, err := fn(items[k])
		if stop || err != nil {
			return err
		}
	}
	return nil
}
