package handoff

import (
	"container/list"
	"sync"
)

// A Recent has its elements in the order of their use.
type Recent struct {
	mu    sync.Mutex
	order *list.List
	items map[string]*list.Element

	flights sync.Mutex
	flying  map[string]chan struct{}
}

func (r *Recent) get(key string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.items[key]
	if !ok {
		return "", false
	}
	r.order.MoveToFront(e)
	return e.Value.(string), true
}

func (r *Recent) add(key, value string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.items[key] = r.order.PushFront(value)
}

// claim takes the key for the caller, who gives it back.
func (r *Recent) claim(key string) bool {
	r.flights.Lock()
	defer r.flights.Unlock()
	if r.flying[key] != nil {
		return false
	}
	r.flying[key] = make(chan struct{})
	return true
}

func (r *Recent) release(key string) {
	r.flights.Lock()
	defer r.flights.Unlock()
	delete(r.flying, key)
}

// Load has a rival that changes the order only.
func (r *Recent) Load(key string, load func(string) string) {
	if !r.claim(key) {
		return
	}
	defer r.release(key)
	if _, ok := r.get(key); !ok {
		r.add(key, load(key))
	}
}

func (r *Recent) Get(key string) string {
	value, _ := r.get(key)
	return value
}
