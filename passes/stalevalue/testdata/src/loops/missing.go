package loops

import "sync"

type series struct {
	name string
	n    int
}

// Block has series by name, and in the order in which they were made.
type Block struct {
	mu     sync.RWMutex
	byName map[string]*series
	all    []*series
}

// NewBlock is empty.
func NewBlock() *Block { return &Block{byName: make(map[string]*series)} }

func (b *Block) create(name string) {
	s := &series{name: name}
	b.byName[name] = s
	b.all = append(b.all, s)
}

// AddListed makes those that were missing before.
func (b *Block) AddListed(names []string) {
	var missing []string
	b.mu.RLock()
	for _, name := range names {
		if b.byName[name] == nil {
			missing = append(missing, name)
		}
	}
	b.mu.RUnlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range missing {
		b.create(name) // want `b.byName\[…\] was checked at line 31, but .* another goroutine may change it before this call of create`
	}
}

// AddSet has them in a set.
func (b *Block) AddSet(names []string) {
	missing := make(map[string]bool)
	b.mu.RLock()
	for _, name := range names {
		if _, ok := b.byName[name]; !ok {
			missing[name] = true
		}
	}
	b.mu.RUnlock()
	if len(missing) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for name := range missing {
		b.create(name) // want `b.byName\[…\] was checked at line 48, but .* another goroutine may change it before this call of create`
	}
}

func (b *Block) missing(names []string) map[string]int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	out := make(map[string]int)
	for i, name := range names {
		if b.byName[name] == nil {
			out[name] = i
		}
	}
	return out
}

// AddMissing is told by another function which are missing.
func (b *Block) AddMissing(names []string) {
	for name := range b.missing(names) {
		b.mu.Lock()
		b.create(name) // want `b.byName\[names\[…\]\] was checked at line 77, but .* another goroutine may change it before this call of create`
		b.mu.Unlock()
	}
}

func (b *Block) missingList(names []string) (out []string) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, name := range names {
		if b.byName[name] == nil {
			out = append(out, name)
		}
	}
	return out
}

// AddMissingList is told in a list.
func (b *Block) AddMissingList(names []string) {
	missing := b.missingList(names)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range missing {
		b.create(name) // want `b.byName\[names\[…\]\] was checked at line 97, but .* another goroutine may change it before this call of create`
	}
}

// AddAgain looks again.
func (b *Block) AddAgain(names []string) {
	missing := make(map[string]bool)
	b.mu.RLock()
	for _, name := range names {
		if b.byName[name] == nil {
			missing[name] = true
		}
	}
	b.mu.RUnlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	for name := range missing {
		if b.byName[name] == nil {
			b.create(name)
		}
	}
}

// AddAll makes all series: that some are there only says how many are new.
func (b *Block) AddAll(names []string) (fresh int) {
	known := make(map[string]bool)
	b.mu.RLock()
	for _, name := range names {
		if b.byName[name] != nil {
			known[name] = true
		}
	}
	b.mu.RUnlock()
	for _, name := range names {
		b.mu.Lock()
		if b.byName[name] == nil {
			b.create(name)
		}
		b.mu.Unlock()
		if !known[name] {
			fresh++
		}
	}
	return fresh
}
