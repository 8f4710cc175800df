package parts

import "sync"

type keys struct{ id, secret string }

// A Ring hands its state to function literals that it calls under its lock.
type Ring struct {
	mu   sync.Mutex
	keys keys
}

func (r *Ring) with(f func(*keys)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.keys)
}

// within hands the literal on.
func (r *Ring) within(f func(*keys)) { r.with(f) }

func (r *Ring) Rotate(id, secret string) {
	r.with(func(k *keys) { k.id, k.secret = id, secret })
}

// Sign has the secret of one pair and the name of another.
func (r *Ring) Sign(sum func(string) string) (id, text string) {
	var secret string
	r.with(func(k *keys) { secret = k.secret })
	text = sum(secret)
	r.within(func(k *keys) { id = k.id }) // want `split-read: r\.keys\.secret at line \d+ and r\.keys\.id here are read apart`
	return id, text
}

// SignAtOnce has both of one.
func (r *Ring) SignAtOnce(sum func(string) string) (id, text string) {
	var secret string
	r.with(func(k *keys) { id, secret = k.id, k.secret })
	return id, sum(secret)
}
