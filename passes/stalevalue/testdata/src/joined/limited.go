package joined

import (
	"sync"
	"time"
)

// A batch is worked off by one run, and a timer may end it.
type batch struct {
	mu    sync.Mutex
	calls []string
	done  []string
	over  bool
}

func (b *batch) next() (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.calls) == 0 {
		return "", false
	}
	return b.calls[0], true
}

func (b *batch) push(answer string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = append(b.done, answer)
	b.calls = b.calls[1:]
}

func (b *batch) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = b.calls[:0]
}

func (b *batch) end() {
	b.mu.Lock()
	b.over = true
	b.mu.Unlock()
}

// Handle has a batch of its own: the timer only ends it.
func Handle(calls []string, answer func(string) string) []string {
	b := &batch{calls: calls}
	t := time.AfterFunc(time.Minute, func() { b.end() })
	defer t.Stop()
	for {
		call, ok := b.next()
		if !ok {
			return b.done
		}
		b.push(answer(call))
	}
}

// HandleSome has a batch that the timer empties.
func HandleSome(calls []string, answer func(string) string) []string {
	b := &batch{calls: calls}
	t := time.AfterFunc(time.Minute, func() { b.drop() })
	defer t.Stop()
	for {
		call, ok := b.next()
		if !ok {
			return b.done
		}
		b.push(answer(call)) // want `lost-update: batch.calls was read .* removes the first element`
	}
}
