package mechanisms

import "sync"

type tenants struct {
	mu    sync.Mutex
	byKey map[string]*int
	ask   func(string) int
}

// fetch gives up the lock of its caller while it asks.
func (t *tenants) fetch(k string) int {
	ask := t.ask
	t.mu.Unlock()
	n := ask(k)
	t.mu.Lock()
	return n
}

// load adds a tenant after the lock was given up.
func (t *tenants) load(k string) *int {
	n := t.fetch(k)
	t.byKey[k] = &n
	return &n
}

// Find looks and adds under one Lock of its own, which load has given up in between.
func (t *tenants) Find(k string) *int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.byKey[k]; p != nil {
		return p
	}
	return t.load(k) // want `check-then-act: t\.byKey\[k\] was checked at line \d+, but t\.mu was released`
}

// reload looks again before it adds.
func (t *tenants) reload(k string) *int {
	n := t.fetch(k)
	if p := t.byKey[k]; p != nil {
		return p
	}
	t.byKey[k] = &n
	return &n
}

func (t *tenants) Get(k string) *int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.byKey[k]; p != nil {
		return p
	}
	return t.reload(k)
}

// add and ask give nothing up before the write.
func (t *tenants) add(k string) *int {
	n := new(int)
	t.byKey[k] = n
	*n = t.fetch(k)
	return n
}

func (t *tenants) Add(k string) *int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.byKey[k]; p != nil {
		return p
	}
	return t.add(k)
}
