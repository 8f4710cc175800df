// Package bug copies a chain of items from one of the known sources.
package bug

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errBusy     = errors.New("already copying")
	errUnknown  = errors.New("unknown source")
	errLeftover = errors.New("queue holds items of an earlier run")
	errTimeout  = errors.New("source does not answer")
)

// Key names an item.
type Key [32]byte

// Source is a remote that answers by calling Keys and Items of the fetcher.
type Source struct {
	ID       string
	AskKeys  func(from Key)
	AskItems func(keys []Key)
}

type keyPack struct {
	src  string
	keys []Key
}

type itemPack struct {
	src   string
	items map[Key][]byte
}

type pending struct {
	mu   sync.RWMutex
	want map[Key]bool
	have map[Key][]byte
}

func (q *pending) size() (int, int) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return len(q.want), len(q.have)
}

func (q *pending) insert(keys []Key) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, k := range keys {
		if _, ok := q.have[k]; !ok {
			q.want[k] = true
		}
	}
}

func (q *pending) missing(n int) []Key {
	q.mu.RLock()
	defer q.mu.RUnlock()
	keys := make([]Key, 0, n)
	for k := range q.want {
		if len(keys) == n {
			break
		}
		keys = append(keys, k)
	}
	return keys
}

func (q *pending) deliver(items map[Key][]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for k, v := range items {
		if q.want[k] {
			delete(q.want, k)
			q.have[k] = v
		}
	}
}

func (q *pending) reset() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.want = make(map[Key]bool)
	q.have = make(map[Key][]byte)
}

// Take removes and returns what was copied.
func (q *pending) take() map[Key][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	m := q.have
	q.have = make(map[Key][]byte)
	return m
}

// Fetcher copies items.
type Fetcher struct {
	mu      sync.RWMutex
	sources map[string]*Source

	queue *pending

	fetchingKeys  atomic.Int32
	fetchingItems atomic.Int32

	keyCh  chan keyPack
	itemCh chan itemPack
}

// New returns a fetcher without sources.
func New() *Fetcher {
	f := &Fetcher{
		sources: make(map[string]*Source),
		queue:   &pending{},
		keyCh:   make(chan keyPack, 1),
		itemCh:  make(chan itemPack, 1),
	}
	f.queue.reset()
	return f
}

// Register adds a source.
func (f *Fetcher) Register(s *Source) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sources[s.ID] = s
}

// Unregister removes a source.
func (f *Fetcher) Unregister(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.sources, id)
}

func (f *Fetcher) source(id string) *Source {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.sources[id]
}

func (f *Fetcher) busy() bool {
	return f.fetchingKeys.Load() == 1 || f.fetchingItems.Load() == 1
}

// Copy fetches everything up to head. The handlers of all sources call it.
func (f *Fetcher) Copy(id string, head Key) error {
	if f.busy() {
		return errBusy
	}
	if want, have := f.queue.size(); want+have > 0 {
		return errLeftover
	}
	s := f.source(id)
	if s == nil {
		return errUnknown
	}
	return f.copyFrom(s, head)
}

func (f *Fetcher) copyFrom(s *Source, head Key) (err error) {
	defer func() {
		if err != nil {
			f.queue.reset()
		}
	}()
	if err = f.copyKeys(s, head); err != nil {
		return err
	}
	return f.copyItems(s)
}

func (f *Fetcher) copyKeys(s *Source, head Key) error {
	f.fetchingKeys.Store(1)
	defer f.fetchingKeys.Store(0)

	f.queue.insert([]Key{head})
	s.AskKeys(head)
	timeout := time.After(5 * time.Second)
	for {
		select {
		case p := <-f.keyCh:
			if p.src != s.ID {
				continue
			}
			if len(p.keys) == 0 {
				return nil
			}
			f.queue.insert(p.keys)
			s.AskKeys(p.keys[len(p.keys)-1])
		case <-timeout:
			return errTimeout
		}
	}
}

func (f *Fetcher) copyItems(s *Source) error {
	f.fetchingItems.Store(1)
	defer f.fetchingItems.Store(0)

	timeout := time.After(time.Minute)
	for {
		keys := f.queue.missing(64)
		if len(keys) == 0 {
			return nil
		}
		s.AskItems(keys)
		select {
		case p := <-f.itemCh:
			if p.src == s.ID {
				f.queue.deliver(p.items)
			}
		case <-timeout:
			return errTimeout
		}
	}
}

// Keys hands over an answer.
func (f *Fetcher) Keys(src string, keys []Key) {
	select {
	case f.keyCh <- keyPack{src, keys}:
	case <-time.After(time.Second):
	}
}

// Items hands over an answer.
func (f *Fetcher) Items(src string, items map[Key][]byte) {
	select {
	case f.itemCh <- itemPack{src, items}:
	case <-time.After(time.Second):
	}
}

// Take returns what was copied so far.
func (f *Fetcher) Take() map[Key][]byte { return f.queue.take() }
