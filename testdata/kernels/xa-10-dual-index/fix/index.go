package discovery

import "sync"

// idIndex finds instances by id.
type idIndex struct {
	mu sync.RWMutex
	m  map[string]Instance
}

// put stores in and returns the instance it replaces.
func (x *idIndex) put(in Instance) (old Instance, replaced bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	old, replaced = x.m[in.ID]
	x.m[in.ID] = in
	return old, replaced
}

// take removes and returns the instance called id.
func (x *idIndex) take(id string) (Instance, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	in, ok := x.m[id]
	delete(x.m, id)
	return in, ok
}

func (x *idIndex) get(id string) (Instance, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	in, ok := x.m[id]
	return in, ok
}

// addrIndex finds the id of the instance behind an address.
type addrIndex struct {
	mu sync.RWMutex
	m  map[string]string
}

// put points addr at id.
func (x *addrIndex) put(addr, id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.m[addr] = id
}

// drop removes addr if it points at id.
func (x *addrIndex) drop(addr, id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.m[addr] == id {
		delete(x.m, addr)
	}
}

func (x *addrIndex) get(addr string) (string, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	id, ok := x.m[addr]
	return id, ok
}

func (x *addrIndex) all() []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	addrs := make([]string, 0, len(x.m))
	for a := range x.m {
		addrs = append(addrs, a)
	}
	return addrs
}
