package fix

import (
	"container/list"
	"sync"
)

type pair[V any] struct {
	key string
	val V
}

// tier is a map with the order in which its items came.
type tier[V any] struct {
	mu    sync.Mutex
	limit int
	order *list.List
	items map[string]*list.Element
}

func newTier[V any](limit int) *tier[V] {
	return &tier[V]{limit: limit, order: list.New(), items: make(map[string]*list.Element)}
}

func (t *tier[V]) get(key string) (v V, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	el, ok := t.items[key]
	if !ok {
		return v, false
	}
	t.order.MoveToFront(el)
	return el.Value.(*pair[V]).val, true
}

// remove takes the item out and returns it.
func (t *tier[V]) remove(key string) (v V, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	el, ok := t.items[key]
	if !ok {
		return v, false
	}
	delete(t.items, key)
	return t.order.Remove(el).(*pair[V]).val, true
}

// put stores the item and returns the one that had to leave for it.
func (t *tier[V]) put(key string, v V) *pair[V] {
	t.mu.Lock()
	defer t.mu.Unlock()
	if el, ok := t.items[key]; ok {
		el.Value.(*pair[V]).val = v
		t.order.MoveToFront(el)
		return nil
	}
	t.items[key] = t.order.PushFront(&pair[V]{key, v})
	if t.order.Len() <= t.limit {
		return nil
	}
	out := t.order.Remove(t.order.Back()).(*pair[V])
	delete(t.items, out.key)
	return out
}

// Tokens caches access tokens in a small hot and a large cold tier.
type Tokens[V any] struct {
	move sync.Mutex // held by all who put into or take out of a tier
	hot  *tier[V]
	cold *tier[V]
}

func NewTokens[V any](hot, cold int) *Tokens[V] {
	return &Tokens[V]{hot: newTier[V](hot), cold: newTier[V](cold)}
}

func (c *Tokens[V]) insert(key string, v V) {
	if out := c.hot.put(key, v); out != nil {
		c.cold.put(out.key, out.val)
	}
}

// Lookup returns the token's claims, if it is known and not revoked.
func (c *Tokens[V]) Lookup(key string) (V, bool) {
	if v, ok := c.hot.get(key); ok {
		return v, true
	}
	return c.promote(key)
}

func (c *Tokens[V]) promote(key string) (V, bool) {
	c.move.Lock()
	defer c.move.Unlock()
	if v, ok := c.hot.get(key); ok {
		return v, true
	}
	v, ok := c.cold.remove(key)
	if ok {
		c.insert(key, v)
	}
	return v, ok
}

// Grant makes the token known.
func (c *Tokens[V]) Grant(key string, v V) {
	c.move.Lock()
	defer c.move.Unlock()
	c.insert(key, v)
	c.cold.remove(key)
}

// Revoke forgets the token.
func (c *Tokens[V]) Revoke(key string) bool {
	c.move.Lock()
	defer c.move.Unlock()
	_, a := c.hot.remove(key)
	_, b := c.cold.remove(key)
	return a || b
}
