package doubts

import "sync"

// A LogStore is implemented by other packages, too.
type LogStore interface {
	First() int
	Last() int
	Fill(n int)
}

// A MemStore is a LogStore in memory, which no function here has.
type MemStore struct {
	mu        sync.Mutex
	low, high int
}

func NewMemStore() *MemStore { return new(MemStore) }

func (m *MemStore) First() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.low
}

func (m *MemStore) Last() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.high
}

func (m *MemStore) Fill(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.low, m.high = m.low+n, m.high+n
}

// Span is for whoever has a store.
func Span(logs LogStore) int {
	return logs.Last() - logs.First() // want `split-read: .* \[medium confidence: which implementation this is, code outside the package chooses\]`
}

// A Keeper shares its store.
type Keeper struct{ logs LogStore }

func NewKeeper(logs LogStore) *Keeper { return &Keeper{logs} }

func (k *Keeper) Span() int {
	return k.logs.Last() - k.logs.First() // want `split-read: k.logs.high at line 49 .* reach the result$`
}
