package fix

import "sync"

// OffsetStore keeps the committed offset of each partition. Save may also
// rewind a partition, for a replay.
type OffsetStore interface {
	Load(partition string) (int64, error)
	Save(partition string, off int64) error
}

// MemOffsets keeps offsets in memory.
type MemOffsets struct {
	mu   sync.Mutex
	offs map[string]int64
}

func NewMemOffsets() *MemOffsets {
	return &MemOffsets{offs: make(map[string]int64)}
}

func (m *MemOffsets) Load(partition string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.offs[partition], nil
}

func (m *MemOffsets) Save(partition string, off int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.offs[partition] = off
	return nil
}
