// Package bug expands the layers of an archive into a stack of trees.
package bug

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errExists   = errors.New("already exists")
	errNotFound = errors.New("not found")
)

type tree struct {
	key     string
	parent  string
	done    bool
	files   []string
	created time.Time
}

// treeStore holds the trees; a tree stays as long as a hold refers to it.
type treeStore struct {
	mu    sync.Mutex
	trees map[string]*tree
	holds map[string]map[string]struct{} // hold -> keys
}

func newTreeStore() *treeStore {
	return &treeStore{
		trees: make(map[string]*tree),
		holds: make(map[string]map[string]struct{}),
	}
}

func (s *treeStore) newHold(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds[name] = make(map[string]struct{})
}

func (s *treeStore) dropHold(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.holds, name)
}

func (s *treeStore) addToHold(hold, key string) {
	if h := s.holds[hold]; h != nil {
		h[key] = struct{}{}
	}
}

// stat returns a copy of a finished tree.
func (s *treeStore) stat(key string) (tree, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.trees[key]
	if t == nil || !t.done {
		return tree{}, fmt.Errorf("tree %q: %w", key, errNotFound)
	}
	return *t, nil
}

// prepare starts a tree on top of parent. The hold gets the key, also if the
// tree is there already.
func (s *treeStore) prepare(hold, key, parent string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.trees[key]; t != nil {
		s.addToHold(hold, key)
		return fmt.Errorf("tree %q: %w", key, errExists)
	}
	if parent != "" {
		if p := s.trees[parent]; p == nil || !p.done {
			return fmt.Errorf("parent tree %q: %w", parent, errNotFound)
		}
	}
	s.trees[key] = &tree{key: key, parent: parent, created: time.Now()}
	s.addToHold(hold, key)
	return nil
}

func (s *treeStore) commit(key string, files []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.trees[key]
	if t == nil {
		return fmt.Errorf("tree %q: %w", key, errNotFound)
	}
	t.files = files
	t.done = true
	return nil
}

// collect removes the trees without a hold.
func (s *treeStore) collect() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	keep := make(map[string]bool)
	for _, keys := range s.holds {
		for k := range keys {
			for k != "" && !keep[k] {
				keep[k] = true
				t := s.trees[k]
				if t == nil {
					break
				}
				k = t.parent
			}
		}
	}
	n := 0
	for k := range s.trees {
		if !keep[k] {
			delete(s.trees, k)
			n++
		}
	}
	return n
}

// keyLocks serialises work on one key.
type keyLocks struct {
	mu sync.Mutex
	m  map[string]*keyLock
}

type keyLock struct {
	sync.Mutex
	ref int
}

func (l *keyLocks) lock(key string) (unlock func()) {
	l.mu.Lock()
	k := l.m[key]
	if k == nil {
		k = &keyLock{}
		l.m[key] = k
	}
	k.ref++
	l.mu.Unlock()
	k.Lock()
	return func() {
		k.Unlock()
		l.mu.Lock()
		if k.ref--; k.ref == 0 {
			delete(l.m, key)
		}
		l.mu.Unlock()
	}
}

type layer struct {
	digest string
	files  []string
}

// expander serves pulls, which may run at the same time.
type expander struct {
	store *treeStore
	locks keyLocks
	quit  chan struct{}
}

func newExpander() *expander {
	e := &expander{store: newTreeStore(), locks: keyLocks{m: make(map[string]*keyLock)}, quit: make(chan struct{})}
	go e.collector()
	return e
}

func (e *expander) collector() {
	t := time.NewTicker(10 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			e.store.collect()
		case <-e.quit:
			return
		}
	}
}

// expand makes all layers available and returns the key of the top. The hold
// belongs to the caller.
func (e *expander) expand(hold string, layers []layer) (string, error) {
	parent := ""
	for _, l := range layers {
		key := parent + "/" + l.digest
		if err := e.expandLayer(hold, key, parent, l); err != nil {
			return "", err
		}
		parent = key
	}
	return parent, nil
}

func (e *expander) expandLayer(hold, key, parent string, l layer) error {
	unlock := e.locks.lock(key)
	defer unlock()

	if _, err := e.store.stat(key); err == nil {
		return nil
	} else if !errors.Is(err, errNotFound) {
		return err
	}

	if err := e.store.prepare(hold, key, parent); err != nil {
		if errors.Is(err, errExists) {
			return nil
		}
		return err
	}
	return e.store.commit(key, l.files)
}
