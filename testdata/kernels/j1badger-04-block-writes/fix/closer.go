package badger

import "sync"

// closer stops a goroutine and waits for it.
type closer struct {
	once   sync.Once
	closed chan struct{}
	done   chan struct{}
}

func newCloser() *closer {
	return &closer{closed: make(chan struct{}), done: make(chan struct{})}
}

func (lc *closer) Done()                          { close(lc.done) }
func (lc *closer) HasBeenClosed() <-chan struct{} { return lc.closed }

// SignalAndWait may be called more than once.
func (lc *closer) SignalAndWait() {
	lc.once.Do(func() { close(lc.closed) })
	<-lc.done
}

// memTable holds the entries that are not yet on disk.
type memTable struct {
	mu sync.RWMutex
	m  map[string][]byte
}

func newMemTable() *memTable { return &memTable{m: make(map[string][]byte)} }

func (mt *memTable) Put(key string, value []byte) {
	mt.mu.Lock()
	mt.m[key] = value
	mt.mu.Unlock()
}

func (mt *memTable) Get(key string) ([]byte, bool) {
	mt.mu.RLock()
	defer mt.mu.RUnlock()
	v, ok := mt.m[key]
	return v, ok
}

// each calls f for all entries.
func (mt *memTable) each(f func(key string, value []byte)) {
	mt.mu.RLock()
	defer mt.mu.RUnlock()
	for k, v := range mt.m {
		f(k, v)
	}
}
