package board

import (
	"errors"
	"sync"
)

var ErrFull = errors.New("board: no free slot")

type Board struct {
	mu    sync.Mutex
	slots []string
	done  map[string]int
}

func New(n int) *Board {
	return &Board{slots: make([]string, n), done: make(map[string]int)}
}

func (b *Board) Size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.slots)
}

func (b *Board) Occupant(i int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.slots[i]
}

func (b *Board) claim(i int, job string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.slots[i] != "" {
		return false
	}
	b.slots[i] = job
	return true
}

func (b *Board) Assign(job string) (int, error) {
	for i := 0; i < b.Size(); i++ {
		if b.claim(i, job) {
			return i, nil
		}
	}
	return -1, ErrFull
}

func (b *Board) Finish(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if job := b.slots[i]; job != "" {
		b.done[job]++
		b.slots[i] = ""
	}
}

func (b *Board) Completed(job string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.done[job]
}
