// Correct: the subscription and the snapshot are taken in two steps, but in the
// right order: first the subscription, then the snapshot with its revision.
// Each change is published under the lock that counts the revisions, so the
// changes after the snapshot all arrive in the stream, and those that are in
// both are known by their revision and passed over by Next.
package watchcursor

import (
	"context"
	"errors"
	"maps"
	"sync"
)

var (
	ErrLagging = errors.New("watcher fell behind")
	ErrStopped = errors.New("watcher is stopped")
)

type Change struct {
	Revision uint64
	Key      string
	Value    string
	Deleted  bool
}

type feed struct {
	mu   sync.Mutex
	subs map[chan Change]struct{}
}

func (f *feed) subscribe() chan Change {
	f.mu.Lock()
	defer f.mu.Unlock()
	ch := make(chan Change, 128)
	f.subs[ch] = struct{}{}
	return ch
}

func (f *feed) drop(ch chan Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.remove(ch)
}

func (f *feed) remove(ch chan Change) {
	if _, ok := f.subs[ch]; ok {
		delete(f.subs, ch)
		close(ch)
	}
}

func (f *feed) publish(c Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for ch := range f.subs {
		select {
		case ch <- c:
		default:
			f.remove(ch)
		}
	}
}

// Registry is a key space that can be watched.
type Registry struct {
	mu   sync.RWMutex
	rev  uint64
	data map[string]string
	feed feed
}

func New() *Registry {
	return &Registry{
		data: make(map[string]string),
		feed: feed{subs: make(map[chan Change]struct{})},
	}
}

func (r *Registry) Put(key, value string) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rev++
	r.data[key] = value
	r.feed.publish(Change{Revision: r.rev, Key: key, Value: value})
	return r.rev
}

func (r *Registry) Delete(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.data[key]; !ok {
		return false
	}
	r.rev++
	delete(r.data, key)
	r.feed.publish(Change{Revision: r.rev, Key: key, Deleted: true})
	return true
}

func (r *Registry) snapshot() (map[string]string, uint64) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return maps.Clone(r.data), r.rev
}

// Watcher is used by one goroutine, except for Stop.
type Watcher struct {
	Initial map[string]string
	reg     *Registry
	from    uint64
	ch      chan Change
	stopped chan struct{}
	once    sync.Once
}

// Watch returns a watcher with the state it begins from.
func (r *Registry) Watch() *Watcher {
	ch := r.feed.subscribe()
	items, rev := r.snapshot()
	return &Watcher{Initial: items, reg: r, from: rev, ch: ch, stopped: make(chan struct{})}
}

// Next returns the next change after the initial state.
func (w *Watcher) Next(ctx context.Context) (Change, error) {
	for {
		select {
		case <-w.stopped:
			return Change{}, ErrStopped
		case <-ctx.Done():
			return Change{}, ctx.Err()
		case c, ok := <-w.ch:
			if !ok {
				return Change{}, w.cause()
			}
			if c.Revision <= w.from {
				continue
			}
			return c, nil
		}
	}
}

// cause tells why the stream was closed.
func (w *Watcher) cause() error {
	select {
	case <-w.stopped:
		return ErrStopped
	default:
		return ErrLagging
	}
}

func (w *Watcher) Stop() {
	w.once.Do(func() {
		close(w.stopped)
		w.reg.feed.drop(w.ch)
	})
}
